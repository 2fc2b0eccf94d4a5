/** A plot as a file of its own: colours of paper in place of the theme's, nothing that has to be loaded. */

/** Dark on white, told apart by lightness too (Okabe and Ito, colour universal design). */
const paper: Readonly<Record<string, string>> = {
  "--plot-ink": "#1a1a1a", "--plot-dim": "#595959", "--plot-grid": "#d9d9d9", "--plot-ground": "#ffffff", "--plot-a": "#0072b2", "--plot-b": "#d55e00", "--plot-c": "#009e73", "--plot-d": "#8a5a83", "--plot-focus": "none",
};

/** Presentation that styles may set, with what needs no saying; everything else is in the attributes already. */
const shapeDefaults: Readonly<Record<string, string>> = { fill: "", "fill-opacity": "1", stroke: "none", "stroke-width": "1px", "stroke-dasharray": "none", opacity: "1" };
const textDefaults: Readonly<Record<string, string>> = { ...shapeDefaults, "font-size": "", "font-weight": "400", "paint-order": "normal" };
/** Of the page alone. */
const pageOnly = new Set(["class", "style", "role", "tabindex", "aria-label", "aria-hidden", "aria-pressed"]);
const namespace = "http://www.w3.org/2000/svg";

const element = <K extends keyof SVGElementTagNameMap>(name: K, attributes: Readonly<Record<string, string | number>>): SVGElementTagNameMap[K] => {
  const made = document.createElementNS(namespace, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
};

const legendLine = 18;
/** Of a character of the legend, on average. */
const characterWidth = 6.2;

/** Puts the entries of a legend below the picture, in as many lines as they need; answers the height of all of it. */
function addLegend(copy: SVGSVGElement, legend: Element | null, width: number, height: number): number {
  const entries = [...(legend?.querySelectorAll("li") ?? [])];
  let [left, line] = [8, 0];
  for (const entry of entries) {
    const words = (entry.textContent ?? "").trim();
    const size = 24 + words.length * characterWidth + 14;
    if (left > 8 && left + size > width) [left, line] = [8, line + 1];
    const place = element("g", { transform: `translate(${left} ${height + 4 + line * legendLine})` });
    place.append(...[...(entry.querySelector("svg")?.childNodes ?? [])].map((node) => node.cloneNode(true)));
    const text = element("text", { class: "plot-text", x: 24, y: 12 });
    text.textContent = words;
    place.append(text);
    copy.append(place);
    left += size;
  }
  return entries.length === 0 ? height : height + 8 + (line + 1) * legendLine;
}

export interface Picture { readonly svg: string; readonly width: number; readonly height: number }

/** The picture with its legend as text of an SVG file, with white behind it and `title` as its name. Needs the drawn page for its styles. */
export function standaloneSvg(drawn: SVGSVGElement, legend: Element | null, title: string): Picture {
  const { width, height: plotHeight } = drawn.viewBox.baseVal;
  const holder = document.createElement("div");
  holder.className = "plot-colours plot-paper";
  for (const [name, colour] of Object.entries(paper)) holder.style.setProperty(name, colour);
  const copy = drawn.cloneNode(true) as SVGSVGElement;
  const height = addLegend(copy, legend, width, plotHeight);
  holder.append(copy);
  document.body.append(holder);
  try {
    copy.querySelectorAll(".focus-ring").forEach((ring) => ring.remove());
    // All styles are read before any class goes: rules name the classes of ancestors.
    const styled = [...copy.querySelectorAll<SVGElement>("*")].map((one) => ({ one, presentation: presentationOf(one) }));
    for (const { one, presentation } of styled) {
      withoutPage(one);
      for (const [name, value] of presentation) one.setAttribute(name, value);
    }
  } finally {
    holder.remove();
  }
  const name = element("title", {});
  name.textContent = title;
  copy.prepend(name, element("rect", { width, height, fill: "#ffffff" }));
  withoutPage(copy);
  for (const [attribute, value] of Object.entries({ xmlns: namespace, width, height, viewBox: `0 0 ${width} ${height}`, "font-family": "Helvetica, Arial, sans-serif" })) copy.setAttribute(attribute, String(value));
  return { svg: `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(copy)}\n`, width, height };
}

function presentationOf(one: SVGElement): [name: string, value: string][] {
  if (one.localName === "g" || one.localName === "title") return [];
  const style = getComputedStyle(one);
  const defaults = one.localName === "text" ? textDefaults : shapeDefaults;
  return Object.entries(defaults).flatMap(([name, usual]): [string, string][] => {
    const value = style.getPropertyValue(name);
    return value === "" || value === usual || (name.startsWith("stroke-") && style.stroke === "none") ? [] : [[name, value]];
  });
}

function withoutPage(one: SVGElement): void {
  for (const { name } of [...one.attributes]) if (pageOnly.has(name.toLowerCase())) one.removeAttribute(name);
}

/** The same picture as PNG, twice as large, in base64. Rejects where the browser cannot draw it. */
export async function pngOf({ svg, width, height }: Picture): Promise<string> {
  const image = new Image();
  // An address that holds the picture: no blob, which the page's policy would refuse.
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [2 * width, 2 * height];
  const context = canvas.getContext("2d");
  if (!context) throw new Error("no canvas");
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL("image/png").replace(/^data:image\/png;base64,/, "");
}
