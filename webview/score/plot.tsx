/** A plot: marks that can be reached by keys, named, and opened; its legend; ways to save it and its table. */
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { fill } from "#protocol/strings";
import { plotStrings as words } from "#protocol/strings-plots";
import { csvOf, DataTable, type TableData } from "./data-table";
import { pngOf, standaloneSvg } from "./export-plot";
import { usePort, type Opening } from "./opening";

export interface PlotMark {
  readonly id: string;
  /** What it is and says; read out and shown. */
  readonly words: string;
  /** Where it stands, for moving by keys and for the ring around it. Units of the plot. */
  readonly x: number;
  readonly y: number;
  /** Up and down stay in the lane while they can. */
  readonly lane?: string;
  /** Half the size of the ring; default a circle of 10. */
  readonly box?: { readonly width: number; readonly height: number };
  readonly open?: Opening | undefined;
  readonly isCurrent?: boolean;
  readonly draw: ComponentChildren;
}

export interface PlotProps {
  /** Of the files that are saved. */
  readonly name: string;
  readonly title: string;
  readonly width: number;
  readonly height: number;
  readonly marks: readonly PlotMark[];
  /** Drawn below and above the marks. */
  readonly under?: ComponentChildren;
  readonly over?: ((pointed: string | undefined) => ComponentChildren) | undefined;
  readonly legend?: ComponentChildren;
  /** What to choose for this plot. */
  readonly controls?: ComponentChildren;
  readonly note?: ComponentChildren;
  readonly table: TableData;
  readonly children?: ComponentChildren;
}

/** The mark that a key leads to from `at`: left and right in reading order, up and down to the nearest above or below. */
export function nextMark(marks: readonly Pick<PlotMark, "x" | "y" | "lane">[], at: number, key: string): number | undefined {
  const from = marks[at];
  if (!from || marks.length === 0) return undefined;
  switch (key) {
    case "Home": return 0;
    case "End": return marks.length - 1;
    case "ArrowRight": return Math.min(marks.length - 1, at + 1);
    case "ArrowLeft": return Math.max(0, at - 1);
    case "ArrowUp":
    case "ArrowDown": {
      const sign = key === "ArrowUp" ? -1 : 1;
      // In lanes the next row is the next one, however far to the side its mark stands.
      const aside = from.lane === undefined ? 0.5 : 0.001;
      const cost = ({ x, y, lane }: Pick<PlotMark, "x" | "y" | "lane">): number => ((y - from.y) * sign <= 0.5 ? Infinity : Math.abs(y - from.y) + aside * Math.abs(x - from.x) + (lane === from.lane ? 0 : 1e6));
      return marks.reduce((kept, mark, n) => (cost(mark) < cost(marks[kept]!) ? n : kept), at);
    }
    default: return undefined;
  }
}

function Ring({ mark: { x, y, box } }: { readonly mark: PlotMark }) {
  if (!box) return <circle class="focus-ring" cx={x} cy={y} r={10} />;
  return <rect class="focus-ring" x={x - box.width} y={y - box.height} width={2 * box.width} height={2 * box.height} />;
}

interface MarksProps { readonly marks: readonly PlotMark[]; readonly onPointed: (id: string | undefined) => void }

/** One stop in the tab order: the mark that was looked at last. */
function Marks({ marks, onPointed }: MarksProps) {
  const port = usePort();
  const [current, setCurrent] = useState(0);
  const group = useRef<SVGGElement>(null);
  const at = Math.min(current, marks.length - 1);
  const onKeyDown = (event: KeyboardEvent, n: number) => {
    const open = marks[n]?.open;
    if ((event.key === "Enter" || event.key === " ") && open) {
      event.preventDefault();
      port.open(open);
    }
    const next = nextMark(marks, n, event.key);
    if (next === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    setCurrent(next);
    group.current?.querySelectorAll<SVGGElement>(":scope > .point")[next]?.focus();
  };
  return (
    <g ref={group}>
      {marks.map((mark, n) => (
        <g
          key={mark.id} class={`point${mark.isCurrent ? " is-current" : ""}${mark.open ? " can-open" : ""}`} tabindex={n === at ? 0 : -1} role={mark.open ? "button" : "img"} aria-label={mark.words}
          onPointerEnter={() => onPointed(mark.id)} onPointerLeave={() => onPointed(undefined)} onFocus={() => { setCurrent(n); onPointed(mark.id); }} onBlur={() => onPointed(undefined)}
          onClick={() => mark.open && port.open(mark.open)} onKeyDown={(event) => onKeyDown(event, n)}
        >
          <title>{mark.open ? fill(words.openHint, { words: mark.words }) : mark.words}</title>
          <Ring mark={mark} />
          {mark.draw}
        </g>
      ))}
    </g>
  );
}

function SaveButtons({ name, title, table, drawn }: Pick<PlotProps, "name" | "title" | "table"> & { readonly drawn: () => SVGSVGElement | null }) {
  const port = usePort();
  const picture = (kind: "svg" | "png") => {
    const element = drawn();
    if (!element) return;
    const made = standaloneSvg(element, element.closest("figure")?.querySelector(".plot-legend") ?? null, title);
    if (kind === "svg") return port.save(name, "svg", made.svg);
    pngOf(made).then((png) => port.save(name, "png", png), () => port.fail(words.pngFailed));
  };
  return (
    <span class="save-buttons">
      <button type="button" class="text-button" title={words.saveTitle.svg} onClick={() => picture("svg")}>{words.saveSvg}</button>
      <button type="button" class="text-button" title={words.saveTitle.png} onClick={() => picture("png")}>{words.savePng}</button>
      <SaveCsv name={name} table={table} />
    </span>
  );
}

export function SaveCsv({ name, table }: { readonly name: string; readonly table: TableData }) {
  const port = usePort();
  return <button type="button" class="text-button" title={words.saveTitle.csv} onClick={() => port.save(name, "csv", csvOf(table))}>{words.saveCsv}</button>;
}

export function Plot({ name, title, width, height, marks, under, over, legend, controls, note, table, children }: PlotProps) {
  const [pointed, setPointed] = useState<string>();
  const svg = useRef<SVGSVGElement>(null);
  const shown = marks.find(({ id }) => id === pointed) ?? marks.find(({ isCurrent }) => isCurrent);
  return (
    <div class="tab-content plot-tab">
      <div class="plot-bar">
        {controls}
        <SaveButtons {...{ name, title, table }} drawn={() => svg.current} />
      </div>
      <figure class="plot plot-colours" aria-label={title}>
        <div class="plot-box">
          <svg ref={svg} class={width > 640 ? "is-wide" : undefined} viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="group" aria-label={title}>
            {under}
            <Marks marks={marks} onPointed={setPointed} />
            {over?.(pointed)}
          </svg>
        </div>
        <figcaption>
          <span class="caption-point">{shown ? shown.words : marks.some(({ open }) => open) ? words.keysHint : words.namesHint}</span>
          {legend ? <ul class="plot-legend">{legend}</ul> : null}
          {note ? <p class="dim">{note}</p> : null}
        </figcaption>
      </figure>
      <DataTable table={table} />
      {children}
    </div>
  );
}

/** An entry of a legend. */
export function LegendItem({ children, picture }: { readonly picture: ComponentChildren; readonly children: ComponentChildren }) {
  return <li><svg width="18" height="16" aria-hidden="true">{picture}</svg> {children}</li>;
}
