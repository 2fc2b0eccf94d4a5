/** Tokens of everything that a monitor would send, counted by a tokenizer that takes one text at a time. */

interface Messages {
  readonly system: string;
  readonly user: string;
}

/** The sum over the first request and those after it (segments, members of a vote), or undefined where a text could not be counted. */
export async function tokensOfAll({ system, user, further = [] }: Messages & { readonly further?: readonly Messages[] | undefined }, count: (text: string) => Promise<number | undefined>): Promise<number | undefined> {
  const texts = [{ system, user }, ...further].flatMap((one) => [one.system, one.user]).filter((text) => text !== "");
  let sum = 0;
  for (const text of texts) {
    const tokens = await count(text);
    if (tokens === undefined) return undefined;
    sum += tokens;
  }
  return sum;
}
