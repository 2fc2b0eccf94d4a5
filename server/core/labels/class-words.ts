/** Words in names, ids and paths that tell which class a sample belongs to. */

const tellers = new Set([
  "misbehavior", "misbehaviour", "misbehaving", "misbehaved", "misbehave", "misaligned", "benign", "malicious", "unsafe", "safe", "harmful", "harmless", "bad", "good", "evil", "clean",
  "vulnerable", "vuln", "insecure", "secure", "fixed", "patched", "attack", "attacked", "attacker", "hack", "hacked", "hacking", "hacky", "cheat", "cheating", "cheated", "gamed", "gaming",
  "honest", "dishonest", "violation", "violating", "compliant", "noncompliant", "sycophantic", "sycophant", "biased", "unbiased", "poisoned", "injected", "compromised", "positive",
  "negative", "pos", "neg", "flagged", "refused", "aligned", "deceptive", "sabotage", "sabotaged", "tampered", "legit", "legitimate",
]);

/**
 * The first word of a name that tells a class, in lower case; undefined where none does. Words are split at everything that
 * is no letter and at changes from small to capital letters.
 */
export function classWord(name: string): string | undefined {
  return wordsOf(name).find((word) => tellers.has(word));
}

/** The words of a name, in lower case. */
export function wordsOf(name: string): string[] {
  return name.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2").toLowerCase().split(/[^\p{L}]+/u).filter((word) => word !== "");
}
