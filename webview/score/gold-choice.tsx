/** Which gold the numbers of a tab are counted on. */
import { plotStrings as words } from "#protocol/strings-plots";
import type { ScoreGold } from "#protocol/scores";
import { Select } from "../ui/select";

const golds: readonly ScoreGold[] = ["corrected", "original"];

export function GoldChoice({ gold, onGold }: { readonly gold: ScoreGold; readonly onGold: (gold: ScoreGold) => void }) {
  return <Select className="gold-select" label={words.gold} value={gold} onValue={(value) => onGold(value as ScoreGold)} options={golds.map((name) => ({ value: name, label: words.goldNames[name] }))} />;
}
