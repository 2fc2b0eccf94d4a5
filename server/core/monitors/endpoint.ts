/** Where a monitor of kind `llm` sends its requests. */
import type { MonitorConfig } from "#core/workspace/schemas";

const defaults: Readonly<Record<string, string>> = {
  anthropic: "https://api.anthropic.com/v1",
  google: "https://generativelanguage.googleapis.com/v1beta",
};

/** The address asked: `base_url`, else the provider's own where it has one. */
export function endpointOf(config: Pick<MonitorConfig, "provider" | "base_url">): string | undefined {
  return config.base_url ?? defaults[config.provider ?? ""];
}

/** Stands for the address of models that the editor offers: which service answers is the editor's affair. */
export const editorModels = "vscode-lm";

/** Whether a monitor asks a model that the editor offers, without an address and a key of its own. */
export function asksEditor({ kind, config }: { readonly kind: MonitorConfig["kind"]; readonly config: Pick<MonitorConfig, "provider"> }): boolean {
  return kind === "llm" && config.provider === "vscode-lm";
}

/** A sentence when an address cannot be asked: not http or https, or with a key in it. */
export function baseUrlProblem(baseUrl: string | undefined): string | undefined {
  const example = "for example http://127.0.0.1:8080/v1";
  if (!baseUrl) return `no "base_url" is set; give the endpoint's address, ${example}`;
  const match = /^https?:\/\/([^\s/?#\\]+)([^\s\\]*)$/i.exec(baseUrl);
  if (!match || !/^(?:[^@]*@)?(?:\[[0-9a-f:.]+\]|[^\s:@[\]"<>^`{|}]+)(?::\d{1,5})?$/i.test(match[1]!)) {
    return `"base_url": ${JSON.stringify(baseUrl)} is no http or https address; write it like http://127.0.0.1:8080/v1`;
  }
  if (match[1]!.includes("@")) return `"base_url" holds a user name or password; take it out and name an environment variable with "api_key_env"`;
  if (/[?#]/.test(match[2]!)) return `"base_url" holds a query or fragment, which would be lost; end it with the path, ${example}`;
  return undefined;
}
