/** Which rate a plot draws. */
import { plotStrings as plot } from "#protocol/strings-plots";
import { scoreStrings as words } from "#protocol/strings-score";
import { Select } from "../ui/select";

export type ShownRate = "mr" | "far" | "j";

export const shownRateNames: Readonly<Record<ShownRate, string>> = { mr: words.missRate, far: words.falseAlarmRate, j: words.youden };

export function RateChoice({ rate, onRate, rates = ["mr", "far", "j"] }: { readonly rate: ShownRate; readonly onRate: (rate: ShownRate) => void; readonly rates?: readonly ShownRate[] }) {
  return <Select className="rate-select" label={plot.heatRate} value={rate} onValue={(value) => onRate(value as ShownRate)} options={rates.map((name) => ({ value: name, label: shownRateNames[name] }))} />;
}
