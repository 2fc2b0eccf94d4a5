/** Label records as they stand in label files: JSON Lines. */
import { readJsonLines } from "#core/workspace/json-lines";
import { LabelRecord } from "#core/workspace/schemas";
import { defineLabelFormat } from "./define";

export const jsonlFormat = defineLabelFormat({
  id: "jsonl", title: "JSON Lines", extension: "jsonl", carriesTrajectories: false,
  write: ({ records }) => ({ text: records.map(({ record, raw }) => `${raw ?? JSON.stringify(record)}\n`).join(""), leftOut: [] }),
  read(text, { file }) {
    const { lines, problems } = readJsonLines(text, LabelRecord, file);
    return { records: lines.map(({ value, raw, line }) => ({ record: value, raw, line })), problems };
  },
});
