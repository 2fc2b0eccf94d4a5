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

/** The picture as text of an SVG file, with white behind it and `title` as its name. Needs the drawn page for its styles. */
export function standaloneSvg(drawn: SVGSVGElement, title: string): string {
  const holder = document.createElement("div");
  holder.className = "plot-colours plot-paper";
  for (const [name, colour] of Object.entries(paper)) holder.style.setProperty(name, colour);
  const copy = drawn.cloneNode(true) as SVGSVGElement;
  holder.append(copy);
  document.body.append(holder);
  try {
    copy.querySelectorAll(".focus-ring").forEach((element) => element.remove());
    // All styles are read before any class goes: rules name the classes of ancestors.
    const styled = [...copy.querySelectorAll<SVGElement>("*")].map((element) => ({ element, presentation: presentationOf(element) }));
    for (const { element, presentation } of styled) {
      withoutPage(element);
      for (const [name, value] of presentation) element.setAttribute(name, value);
    }
  } finally {
    holder.remove();
  }
  const { width, height } = drawn.viewBox.baseVal;
  const ground = document.createElementNS(namespace, "rect");
  for (const [name, value] of Object.entries({ width, height, fill: "#ffffff" })) ground.setAttribute(name, String(value));
  const name = document.createElementNS(namespace, "title");
  name.textContent = title;
  copy.prepend(name, ground);
  withoutPage(copy);
  for (const [attribute, value] of Object.entries({ xmlns: namespace, width, height, "font-family": "Helvetica, Arial, sans-serif" })) copy.setAttribute(attribute, String(value));
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(copy)}\n`;
}

function presentationOf(element: SVGElement): [name: string, value: string][] {
  if (element.localName === "g" || element.localName === "title") return [];
  const style = getComputedStyle(element);
  const defaults = element.localName === "text" ? textDefaults : shapeDefaults;
  return Object.entries(defaults).flatMap(([name, usual]): [string, string][] => {
    const value = style.getPropertyValue(name);
    return value === "" || value === usual || (name.startsWith("stroke-") && style.stroke === "none") ? [] : [[name, value]];
  });
}

function withoutPage(element: SVGElement): void {
  for (const { name } of [...element.attributes]) if (pageOnly.has(name.toLowerCase())) element.removeAttribute(name);
}

/** The same picture as PNG, twice as large, in base64. Rejects where the browser cannot draw it. */
export async function pngOf(svg: string, width: number, height: number): Promise<string> {
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
