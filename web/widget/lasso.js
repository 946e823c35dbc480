// A lasso that selects the diagrams inside it.

const MIN_STEP = 4;
const SVG = "http://www.w3.org/2000/svg";

export class Lasso {
  /** @param {HTMLElement} holder of the maps; the lasso is drawn on the first @param {(isInside: (x: number, y: number) => boolean) => void} closed */
  constructor(holder, closed) {
    this.holder = holder;
    this.closed = closed;
    /** @type {SVGSVGElement | null} what takes the pointer while it is on */
    this.cover = null;
  }

  /** @param {HTMLElement} control its button */
  toggle(control) {
    if (this.cover) this.end(control);
    else this.begin(control);
  }

  /** @param {HTMLElement} control */
  begin(control) {
    const map = this.holder.querySelector(".map");
    if (!map) return;
    control.setAttribute("aria-pressed", "true");
    const cover = document.createElementNS(SVG, "svg");
    cover.classList.add("lasso");
    const line = document.createElementNS(SVG, "polygon");
    cover.append(line);
    this.cover = cover;
    map.append(cover);
    /** @type {number[][]} */
    let corners = [];
    cover.addEventListener("pointerdown", (event) => {
      event.stopPropagation();
      cover.setPointerCapture(event.pointerId);
      corners = [[event.offsetX, event.offsetY]];
    });
    cover.addEventListener("pointermove", (event) => {
      event.stopPropagation();
      const last = corners.at(-1);
      if (!last || Math.hypot(event.offsetX - last[0], event.offsetY - last[1]) < MIN_STEP) return;
      corners.push([event.offsetX, event.offsetY]);
      line.setAttribute("points", corners.map((corner) => corner.join()).join(" "));
    });
    cover.addEventListener("pointerup", (event) => {
      event.stopPropagation();
      const drawn = corners;
      this.end(control);
      if (drawn.length > 2) this.closed((x, y) => isInside(drawn, x, y));
    });
    for (const name of ["click", "dblclick", "mousedown", "touchstart"]) cover.addEventListener(name, (event) => event.stopPropagation());
  }

  /** @param {HTMLElement} control */
  end(control) {
    control.setAttribute("aria-pressed", "false");
    this.cover?.remove();
    this.cover = null;
  }
}

/** True if a place is inside: a ray to the left crosses the line an odd number of times. @param {number[][]} corners @param {number} x @param {number} y */
function isInside(corners, x, y) {
  let inside = false;
  corners.forEach(([ax, ay], place) => {
    const [bx, by] = corners[(place + 1) % corners.length];
    if (ay > y !== by > y && x > ax + ((y - ay) / (by - ay)) * (bx - ax)) inside = !inside;
  });
  return inside;
}
