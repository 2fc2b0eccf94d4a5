/** Keys out of environment variables, each for one origin: a workspace may name a variable and an address, never bring the two together by itself. */
import { ExpectedFailure } from "../expected-failure";
import { fitsHost, isLoopback, originOf, userConfigFile, type UserSettings } from "./origin";

/** Variables that everybody knows, and the only host that each is for unless the user says otherwise. */
const wellKnown: Readonly<Record<string, string>> = {
  OPENAI_API_KEY: "https://api.openai.com",
  ANTHROPIC_API_KEY: "https://api.anthropic.com",
  GEMINI_API_KEY: "https://generativelanguage.googleapis.com",
  GOOGLE_API_KEY: "https://generativelanguage.googleapis.com",
  GOOGLE_GENERATIVE_AI_API_KEY: "https://generativelanguage.googleapis.com",
  OPENROUTER_API_KEY: "https://openrouter.ai",
  MISTRAL_API_KEY: "https://api.mistral.ai",
  GROQ_API_KEY: "https://api.groq.com",
  TOGETHER_API_KEY: "https://api.together.xyz",
  DEEPSEEK_API_KEY: "https://api.deepseek.com",
};

/** Whether a key holds what no header carries: a line break, white space inside, or anything beyond printable ASCII. */
export function isUnsendable(key: string): boolean {
  return /[^\x21-\x7e]/.test(key);
}

export interface KeyQuestion {
  readonly monitor: string;
  /** Name of the variable, out of the workspace. */
  readonly variable: string;
  readonly origin: string;
  /** Origins that the user named on the command line. */
  readonly given: readonly string[];
  readonly user: UserSettings;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * The key to send, or undefined where the variable is not set and `origin` is this machine. Throws an `ExpectedFailure` when
 * the key is bound to another origin, when nothing binds it to this one, when it is missing, or when it cannot be sent.
 */
export function keyFor({ monitor, variable, origin, given, user, env }: KeyQuestion): string | undefined {
  const file = userConfigFile(env);
  const bound = user.keys[variable];
  const binding = `put {"keys": {"${variable}": "${origin}"}} into ${file}`;
  if (bound !== undefined) {
    if (originOf(bound) !== origin && !(originOf(bound) === undefined && fitsHost(origin, bound))) {
      throw new ExpectedFailure(`your settings keep the key in ${variable} for ${bound}, and monitor "${monitor}" would send it to ${origin}`, `name another variable, or ${binding} if you trust it`);
    }
  } else if (!isLoopback(origin)) {
    const known = wellKnown[variable];
    if (known !== undefined && known !== origin) {
      throw new ExpectedFailure(`the variable ${variable} holds the key of ${known}, and monitor "${monitor}" would send it to ${origin}`, `name another variable, or ${binding} if you trust it`);
    }
    if (known === undefined && !given.some((one) => originOf(one) === origin)) {
      throw new ExpectedFailure(`nothing binds the key in ${variable} to ${origin}, where monitor "${monitor}" would send it`, `${binding}, or add --allow-origin ${origin}`);
    }
  }
  const key = env[variable]?.trim() || undefined;
  if (key === undefined && !isLoopback(origin)) {
    throw new ExpectedFailure(`the environment variable ${variable} with the key for ${origin} is not set`, `set it, or remove api_key_env from monitor "${monitor}"`);
  }
  if (key !== undefined && isUnsendable(key)) throw new ExpectedFailure(`the environment variable ${variable} holds a key with a line break, a space or a letter that no header carries`, "set it anew, to the key alone");
  return key;
}
