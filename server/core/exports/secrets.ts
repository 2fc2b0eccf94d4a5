/** Finds what looks like a credential in text that is about to leave the machine. */

export interface SecretFind {
  /** What kind of secret it looks like. */
  readonly kind: string;
  /** UTF-16 offset in the text. */
  readonly at: number;
  /** Its first four characters and how many follow: enough to find it, too little to use it. */
  readonly shown: string;
}

const rules: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ["AWS access key", /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g],
  ["GitHub token", /\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_\w{40,})\b/g],
  ["GitLab token", /\bglpat-[\w-]{20,}\b/g],
  ["API key of a model provider", /\bsk-(?:live-|proj-|ant-(?:\w+-)?)?[A-Za-z0-9_-]{24,}\b/g],
  ["Google API key", /\bAIza[\w-]{35}\b/g],
  ["Hugging Face token", /\bhf_[A-Za-z0-9]{30,}\b/g],
  ["npm token", /\bnpm_[A-Za-z0-9]{36}\b/g],
  ["Slack token", /\bxox[abeoprs]-[\w-]{20,}\b/g],
  ["Stripe key", /\b[rs]k_live_[A-Za-z0-9]{20,}\b/g],
  ["private key", /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/g],
  ["JSON web token", /\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}/g],
  ["password in a URL", /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@'"]{1,64}:[^\s/@'"]{3,128}@[\w.-]+/g],
];

/** Words that make a find an example and no secret. */
const harmless = /EXAMPLE|x{6}|X{6}|0{10}|placeholder|redacted|dummy|<[^>]*>|\$\{|\.{3}|\*{4}/i;

/** The finds in `text`, in order. */
export function findSecrets(text: string): SecretFind[] {
  const finds: SecretFind[] = [];
  for (const [kind, pattern] of rules) {
    for (const match of text.matchAll(pattern)) {
      if (!harmless.test(match[0])) finds.push({ kind, at: match.index, shown: `${match[0].slice(0, 4)}… (${match[0].length} characters)` });
    }
  }
  return finds.sort((a, b) => a.at - b.at);
}
