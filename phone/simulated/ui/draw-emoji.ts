import type { SKRSContext2D } from '@napi-rs/canvas';

const HEARTS = /[\u2763-\u2764\u{1f493}-\u{1f49f}\u{1f5a4}\u{1f90d}-\u{1f90e}\u{1f9e1}]/u;
const FACES = /[\u{1f600}-\u{1f64f}\u{1f910}-\u{1f92f}\u{1f970}-\u{1f97a}\u263a\u2639]/u;

/**
 * A small picture in place of an emoji, in a box of `size` px: faces, hearts, and a coloured badge for the rest. No colour
 * font is small enough to carry for what is only seen in passing; the text itself stays as it was typed.
 */
export function drawEmoji(context: SKRSContext2D, letter: string, x: number, y: number, size: number): void {
  const middleX = x + size / 2;
  const middleY = y + size / 2;
  if (HEARTS.test(letter)) {
    context.fillStyle = '#e53950';
    context.beginPath();
    context.arc(middleX - size * 0.2, y + size * 0.34, size * 0.23, 0, Math.PI * 2);
    context.arc(middleX + size * 0.2, y + size * 0.34, size * 0.23, 0, Math.PI * 2);
    context.fill();
    context.beginPath();
    context.moveTo(middleX - size * 0.4, y + size * 0.45);
    context.lineTo(middleX + size * 0.4, y + size * 0.45);
    context.lineTo(middleX, y + size * 0.92);
    context.closePath();
    context.fill();
    return;
  }
  const face = FACES.test(letter);
  context.fillStyle = face ? '#ffca3a' : badgeColor(letter);
  context.beginPath();
  context.arc(middleX, middleY, size * 0.46, 0, Math.PI * 2);
  context.fill();
  context.fillStyle = face ? '#5b3b00' : '#ffffff';
  if (!face) {
    context.beginPath();
    context.roundRect(middleX - size * 0.18, middleY - size * 0.18, size * 0.36, size * 0.36, size * 0.08);
    context.fill();
    return;
  }
  for (const side of [-1, 1]) {
    context.beginPath();
    context.arc(middleX + side * size * 0.16, middleY - size * 0.1, size * 0.06, 0, Math.PI * 2);
    context.fill();
  }
  context.strokeStyle = '#5b3b00';
  context.lineWidth = Math.max(1, size * 0.06);
  context.beginPath();
  context.arc(middleX, middleY + size * 0.02, size * 0.24, Math.PI * 0.15, Math.PI * 0.85);
  context.stroke();
}

function badgeColor(letter: string): string {
  const colors = ['#4f7df3', '#2fa36b', '#e8743b', '#a457d6', '#d6487e'] as const;
  return colors[(letter.codePointAt(0) ?? 0) % colors.length] ?? colors[0];
}
