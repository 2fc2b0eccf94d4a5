/** When two words count as the same word in another shape, and how much a word says about where a quote is from. */

// English words that stand in every text; they show little about where a quote is from.
const COMMON = new Set(
  ("a an the and or but nor so if then than that this these those there here it its it's i i'm you you're your we we're our us they " +
    "they're their them he she his her him me my mine is are was were be been being am do does did done have has had having will would " +
    "can could may might shall should must not no of in on at to for from by with as about into over under out up down off who whom whose " +
    "which what when where why how all any each some such only own same too very just also because while until again once more most other " +
    "let's that's what's there's don't doesn't didn't isn't aren't wasn't weren't won't wouldn't can't couldn't shouldn't " +
    "s t re ll ve d m").split(" "),
);

/** Whether a word (lower case) is one of the commonest English ones. */
export function isCommonWord(word: string): boolean {
  return COMMON.has(word);
}

/** 1 for the same word, 0.8 for another form of it (`letting` and `let`), 0.6 for a long shared beginning, else 0. */
export function wordSimilarity(a: string, b: string): number {
  if (a === b) return 1;
  const first = a.charCodeAt(0);
  if (first !== b.charCodeAt(0) || (first >= 48 && first <= 57)) return 0;
  if (stem(a) === stem(b)) return 0.8;
  const shared = sharedStart(a, b);
  return shared >= 4 && shared >= 0.65 * Math.max(a.length, b.length) ? 0.6 : 0;
}

function sharedStart(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  let i = 0;
  while (i < end && a.charCodeAt(i) === b.charCodeAt(i)) i += 1;
  return i;
}

const ENDING = /(?:'s|'re|'ve|'ll|'d|'m|n't|ings?|edly|ed|ies|es|s|ly|e|y)$/;

/** A word without its commonest English endings, a doubled consonant made single. Not a dictionary form. */
function stem(word: string): string {
  let rest = word;
  for (let i = 0; i < 2; i += 1) {
    const shorter = rest.replace(ENDING, "");
    if (shorter.length < 2) break;
    rest = shorter;
  }
  return /([b-df-hj-np-tv-z])\1$/.test(rest) ? rest.slice(0, -1) : rest;
}
