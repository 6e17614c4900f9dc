// Audits the accessibility of a page: contrast (WCAG 2.2 AA), names, references, and the size of targets.
() => {
  const found = [];
  const isSeen = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const describe = (element) => `<${element.tagName.toLowerCase()} ${element.id ? `#${element.id}` : `.${element.getAttribute("class")}`}>`;

  const parse = (text) => {
    const numbers = text.match(/[\d.]+/g)?.map(Number) ?? [0, 0, 0, 0];
    return text.startsWith("color(") ? [...numbers.slice(0, 3).map((n) => n * 255), numbers[3] ?? 1] : [...numbers.slice(0, 3), numbers[3] ?? 1];
  };
  const over = (top, below) => top.slice(0, 3).map((value, index) => value * top[3] + below[index] * (1 - top[3])).concat(1);
  const ground = (element) => {
    const layers = [];
    for (let node = element; node; node = node.parentElement) {
      const colour = parse(getComputedStyle(node).backgroundColor);
      if (colour[3] > 0) layers.push(colour);
      if (colour[3] === 1) break;
    }
    return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255, 1]);
  };
  const luminance = (colour) => {
    const [r, g, b] = colour.slice(0, 3).map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  // Elements that are displayed in grey.
  const grey = [...document.querySelectorAll("body, body > *")].filter((element) => getComputedStyle(element).filter === "grayscale(1)");
  const shown = (colour, element) => {
    if (!grey.some((parent) => parent.contains(element))) return colour;
    return Array(3).fill(0.2126 * colour[0] + 0.7152 * colour[1] + 0.0722 * colour[2]);
  };
  const contrast = (a, b, element) => {
    const [high, low] = [a, b].map((colour) => luminance(shown(colour, element))).sort((x, y) => y - x);
    return (high + 0.05) / (low + 0.05);
  };
  // The last one is above the others.
  const dialog = [...document.querySelectorAll("dialog[open]")].at(-1);
  const root = dialog ?? document.body;

  // Text (1.4.3).
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  let texts = 0;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || !isSeen(element) || element.closest(".visually-hidden, noscript, option")) continue;
    if (!dialog && element.closest("dialog")) continue;
    const style = getComputedStyle(element), below = ground(element);
    const size = parseFloat(style.fontSize), isLarge = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    const ratio = contrast(over(parse(style.color), below), below, element);
    texts += 1;
    if (ratio < (isLarge ? 3 : 4.5)) found.push(`contrast ${ratio.toFixed(2)} of "${node.data.trim().slice(0, 30)}" ${describe(element)}`);
  }
  if (texts < 4) found.push(`only ${texts} texts were examined`);

  // Fields and meaningful graphics (1.4.11).
  for (const field of root.querySelectorAll("input:not([type=checkbox]), select, textarea")) {
    if (!isSeen(field) || (!dialog && field.closest("dialog"))) continue;
    const ratio = contrast(parse(getComputedStyle(field).borderTopColor), ground(field.parentElement), field);
    if (ratio < 3) found.push(`contrast ${ratio.toFixed(2)} of the edge of ${describe(field)}`);
  }
  for (const fill of root.querySelectorAll(".fill")) {
    if (!isSeen(fill)) continue;
    const ratio = contrast(parse(getComputedStyle(fill).backgroundColor), ground(fill.parentElement), fill);
    if (ratio < 3) found.push(`contrast ${ratio.toFixed(2)} of the filled part of a progress bar`);
  }

  // References and ids.
  const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
  for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) found.push(`the id ${id} is used twice`);
  for (const name of ["aria-labelledby", "aria-describedby", "aria-controls", "aria-activedescendant"]) {
    for (const element of document.querySelectorAll(`[${name}]`)) {
      for (const id of element.getAttribute(name).split(" ")) {
        if (isSeen(element) && !document.getElementById(id)) found.push(`${name}="${id}" of ${describe(element)} refers to nothing`);
      }
    }
  }

  // Required parents (ARIA in HTML).
  for (const [role, parents] of [["row", "[role=grid]"], ["gridcell", "[role=row]"], ["columnheader", "[role=row]"]]) {
    for (const element of document.querySelectorAll(`[role=${role}]`)) {
      if (!element.parentElement.closest(parents)) found.push(`a ${role} outside of ${parents}`);
    }
  }
  for (const element of document.querySelectorAll("img:not([alt])")) found.push(`${describe(element)} without alt`);
  for (const element of document.querySelectorAll("[tabindex]")) if (element.tabIndex > 0) found.push(`${describe(element)} has a positive tabindex`);
  const levels = [...root.querySelectorAll("h1, h2, h3, h4")].filter(isSeen).map((heading) => Number(heading.tagName[1]));
  levels.forEach((level, index) => { if (index && level > levels[index - 1] + 1) found.push(`a heading of level ${level} after one of ${levels[index - 1]}`); });
  if (!document.documentElement.lang || !document.title) found.push("no language or no title");

  // Targets (2.5.8): at least 24 pixels, or a circle of 24 pixels around the centre that touches no other target and no
  // such circle.
  const targets = [];
  for (const control of root.querySelectorAll("a[href], button, input, select, textarea, .row")) {
    const element = (control.type === "checkbox" && control.closest("label")) || control;
    if (!isSeen(element) || control.disabled || (!dialog && control.closest("dialog"))) continue;
    const box = element.getBoundingClientRect();
    const centre = [box.left + box.width / 2, box.top + box.height / 2];
    targets.push({ element, box, centre, isSmall: box.width < 24 || box.height < 24 });
  }
  if (!targets.length) found.push("no target was examined");
  const meets = ({ centre: [x, y] }, { isSmall, box, centre }) => {
    if (isSmall) return Math.hypot(x - centre[0], y - centre[1]) < 24;
    return Math.hypot(Math.max(box.left - x, 0, x - box.right), Math.max(box.top - y, 0, y - box.bottom)) < 12;
  };
  for (const small of targets.filter((target) => target.isSmall)) {
    const { element, box: { width, height } } = small;
    const near = targets.find((other) => other !== small && !other.element.contains(element) && meets(small, other));
    if (near) found.push(`${describe(element)} is small, ${width} x ${height}, and too near to ${describe(near.element)}`);
  }
  return found;
}
