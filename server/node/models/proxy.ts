/** A fetch that goes through the proxies named in the environment (HTTPS_PROXY, HTTP_PROXY, NO_PROXY), for the command line. */
import { EnvHttpProxyAgent, fetch as undiciFetch } from "undici";
import type { Fetch } from "./guarded-fetch";
import { leanFetch } from "./lean-fetch";
import { isLoopback, originOf } from "./origin";

/**
 * Undefined where no proxy is named: then the global fetch does. This machine is never reached through a proxy, so that
 * consent to a local endpoint stays local. Certificates of one's own come by NODE_EXTRA_CA_CERTS.
 */
export function proxyFetch(env: NodeJS.ProcessEnv = process.env): Fetch | undefined {
  const httpProxy = env["http_proxy"] || env["HTTP_PROXY"];
  const httpsProxy = env["https_proxy"] || env["HTTPS_PROXY"] || httpProxy;
  if (!httpProxy && !httpsProxy) return undefined;
  const agent = new EnvHttpProxyAgent({ httpProxy: httpProxy ?? "", httpsProxy: httpsProxy ?? "", noProxy: env["no_proxy"] ?? env["NO_PROXY"] ?? "" });
  return (async (input: string | URL, init?: object) => {
    const origin = originOf(String(input));
    if (origin === undefined || isLoopback(origin)) return globalThis.fetch(input, init);
    return undiciFetch(input, { ...init, dispatcher: agent } as Parameters<typeof undiciFetch>[1]);
  }) as unknown as Fetch;
}

/** The way to the network for the command line: through a proxy where one is named, else straight. */
export function networkFetch(env: NodeJS.ProcessEnv = process.env): Fetch {
  return proxyFetch(env) ?? leanFetch;
}
