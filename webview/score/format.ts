/** Rates as words. */
import { scoreStrings as words } from "#protocol/strings-score";
import type { Rate } from "./report";

/** Two decimals; a dash where there is no value, and no minus before a zero. */
export const number = (value: number | null | undefined): string => (value === null || value === undefined ? words.noValue : value.toFixed(2).replace(/^-(0\.00)$/, "$1"));

/** `[0.26, 0.37]`, or nothing where there is no interval. */
export const interval = (rate: Pick<Rate, "low" | "high"> | undefined): string => (rate && rate.low !== null && rate.high !== null ? `[${number(rate.low)}, ${number(rate.high)}]` : "");

/** `0.31 [0.26, 0.37]`. */
export const rateWords = (rate: Pick<Rate, "value" | "low" | "high"> | undefined): string => `${number(rate?.value)} ${interval(rate)}`.trim();
