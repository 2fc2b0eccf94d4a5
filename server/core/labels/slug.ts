/** The file name that an annotator's name gives: lower case letters, digits, dot, underscore and hyphen. */

// Names that Windows gives to devices, with or without an ending.
const reserved = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)/;

/**
 * `labels/SLUG.jsonl` of an annotator. Accents are dropped, every other run of characters becomes one hyphen; a name that
 * leaves nothing (other scripts) is written as its code points in hexadecimal. At most 64 characters. Throws a RangeError
 * for a name without any character to see.
 */
export function annotatorSlug(name: string): string {
  const trimmed = name.trim();
  if (trimmed === "") throw new RangeError("an annotator's name is empty");
  const plain = trimmed.normalize("NFKD").replace(/\p{M}+/gu, "").toLowerCase();
  let slug = plain.replace(/[^a-z0-9._-]+/g, "-").replace(/^[-.]+|[-.]+$/g, "");
  if (slug === "") slug = [...trimmed].map((character) => `u${character.codePointAt(0)?.toString(16) ?? ""}`).join("-");
  slug = slug.slice(0, 64).replace(/[-.]+$/, "");
  return reserved.test(slug) ? `_${slug}` : slug;
}
