/** The bundle of what is large and seldom needed, loaded on first use: clients of models, and patterns whose time is linear. */
export { complete } from "./complete";
export type { CompleteOptions } from "./complete";
export { compilePattern } from "./patterns";
export { countTokens } from "./tokenizer";
export { networkFetch, proxyFetch } from "./proxy";
