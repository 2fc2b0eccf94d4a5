/** The formats that labels are exported to and imported from. A new one is one line here. */
import { csvFormat } from "./csv";
import type { LabelFormat } from "./define";
import { inspectFormat } from "./inspect";
import { jsonlFormat } from "./jsonl";
import { labelStudioFormat } from "./label-studio";
import { scoutFormat } from "./scout";
import { w3cFormat } from "./w3c";

export const labelFormats: readonly LabelFormat[] = [jsonlFormat, csvFormat, labelStudioFormat, w3cFormat, scoutFormat, inspectFormat];
