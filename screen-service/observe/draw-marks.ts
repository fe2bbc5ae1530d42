import { type PixelLayout, type Pixels } from '../../phone/screen/pixels.js';
import { isUsable, type ScreenElement } from '../tree/elements.js';
import { area, intersection, type Rectangle } from '../shapes/rectangle.js';

type Colour = readonly [red: number, green: number, blue: number];

/** Colours that differ well, and are dark enough for white digits. Neighbours get different ones. */
const COLOURS: readonly Colour[] = [
  [200, 30, 40],
  [20, 90, 200],
  [0, 120, 60],
  [150, 40, 170],
  [180, 80, 0],
  [0, 110, 130],
];
const WHITE: Colour = [255, 255, 255];

/** Thickness of a box, and the size of one point of a digit, dp. */
const LINE_DP = 1.5;
const DOT_DP = 2.2;

/** The digits 0 to 9: five rows of three points each, as bits. They are drawn here, as fonts differ between machines and may be missing. */
const DIGITS: readonly (readonly number[])[] = [
  [7, 5, 5, 5, 7],
  [2, 6, 2, 2, 7],
  [7, 1, 7, 4, 7],
  [7, 1, 7, 1, 7],
  [5, 5, 7, 1, 1],
  [7, 4, 7, 1, 7],
  [7, 4, 7, 5, 7],
  [7, 1, 1, 1, 1],
  [7, 5, 7, 5, 7],
  [7, 5, 7, 1, 7],
];
const DIGIT_COLUMNS = 3;
const DIGIT_ROWS = 5;

/**
 * Returns a copy of the picture with a box around each element that takes input. A corner of the box has the number of the element's id. So
 * a model that gets the picture can name the elements in it.
 */
export function drawMarks(pixels: Pixels, elements: readonly ScreenElement[], density: number): Pixels {
  const canvas: Pixels = { ...pixels, data: Buffer.from(pixels.data) };
  const dp = density / 160;
  const line = Math.max(1, Math.round(LINE_DP * dp));
  const dot = Math.max(1, Math.round(DOT_DP * dp));
  const labels: Rectangle[] = [];
  elements.filter(isUsable).forEach(({ id, bounds }, at) => {
    const colour = COLOURS[at % COLOURS.length] ?? WHITE;
    drawBox(canvas, bounds, line, colour);
    const digits = id.replaceAll(/\D/g, '');
    const size = { width: (digits.length * (DIGIT_COLUMNS + 1) + 1) * dot, height: (DIGIT_ROWS + 2) * dot };
    const label = freeCorner(bounds, size, labels, canvas);
    labels.push(label);
    fill(canvas, label, colour);
    Array.from(digits).forEach((digit, place) =>
      drawDigit(canvas, Number(digit), label.x + (place * (DIGIT_COLUMNS + 1) + 1) * dot, label.y + dot, dot),
    );
  });
  return canvas;
}

function drawBox(canvas: Pixels, { x, y, width, height }: Rectangle, line: number, colour: Colour): void {
  fill(canvas, { x, y, width, height: line }, colour);
  fill(canvas, { x, y: y + height - line, width, height: line }, colour);
  fill(canvas, { x, y, width: line, height }, colour);
  fill(canvas, { x: x + width - line, y, width: line, height }, colour);
}

/**
 * Returns the corner of a box in which a label covers no other label, or the first corner when there is none. Labels stay on the picture.
 */
function freeCorner(
  { x, y, width, height }: Rectangle,
  size: { width: number; height: number },
  taken: readonly Rectangle[],
  canvas: { width: number; height: number },
): Rectangle {
  const left = Math.min(x, canvas.width - size.width);
  const right = Math.max(0, x + width - size.width);
  const top = Math.min(y, canvas.height - size.height);
  const bottom = Math.max(0, y + height - size.height);
  const corners = [left, right].flatMap((cornerX) =>
    [top, bottom].map((cornerY) => ({ x: Math.max(0, cornerX), y: Math.max(0, cornerY), ...size })),
  );
  const free = corners.find((corner) => taken.every((other) => area(intersection(corner, other)) === 0));
  return free ?? corners[0] ?? { x: left, y: top, ...size };
}

function drawDigit(canvas: Pixels, digit: number, x: number, y: number, dot: number): void {
  DIGITS[digit]?.forEach((bits, row) => {
    for (let column = 0; column < DIGIT_COLUMNS; column++) {
      if ((bits >> (DIGIT_COLUMNS - 1 - column)) % 2 === 0) continue;
      fill(canvas, { x: x + column * dot, y: y + row * dot, width: dot, height: dot }, WHITE);
    }
  });
}

/** Fills the part of a rectangle that is on the picture. */
function fill(canvas: Pixels, rectangle: Rectangle, colour: Colour): void {
  const { x, y, width, height } = intersection({ x: 0, y: 0, width: canvas.width, height: canvas.height }, rectangle);
  const bytes = pixelBytes(colour, canvas.layout);
  for (let row = y; row < y + height; row++) {
    const start = (row * canvas.width + x) * bytes.length;
    canvas.data.fill(bytes, start, start + width * bytes.length);
  }
}

function pixelBytes([red, green, blue]: Colour, layout: PixelLayout): Buffer {
  switch (layout) {
    case 'rgba':
    case 'rgbx':
      return Buffer.from([red, green, blue, 255]);
    case 'rgb':
      return Buffer.from([red, green, blue]);
    case 'bgra':
      return Buffer.from([blue, green, red, 255]);
    case 'rgb565': {
      const bytes = Buffer.alloc(2);
      bytes.writeUInt16LE(((red >> 3) << 11) | ((green >> 2) << 5) | (blue >> 3));
      return bytes;
    }
  }
}
