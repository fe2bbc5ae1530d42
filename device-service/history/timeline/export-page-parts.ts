/** The style of an exported page. */
export const PAGE_STYLE = `
:root { color-scheme: light dark; font: 15px/1.45 system-ui, sans-serif; }
body { margin: 0 auto; max-width: 72rem; padding: 1rem; }
h1 { font-size: 1.3rem; }
main { display: flex; flex-wrap: wrap; gap: 1.5rem; align-items: flex-start; }
section { flex: 1 1 20rem; min-width: 0; position: sticky; top: 0; }
#place { width: 100%; }
#pictures { display: flex; gap: .75rem; }
#pictures canvas { width: 100%; height: auto; border: 1px solid GrayText; border-radius: .4rem; }
#pictures figure { flex: 1; margin: 0; min-width: 0; max-width: 15rem; }
figcaption { font-size: .85rem; }
#facts, #changed { overflow-wrap: anywhere; white-space: pre-wrap; }
#changed { font-size: .85rem; max-height: 14rem; overflow: auto; }
#list { flex: 1 1 20rem; min-width: 0; padding-left: 2.2rem; margin: 0; }
#list button { font: inherit; text-align: left; width: 100%; background: none; color: inherit; border: 0; padding: .35rem .5rem;
  border-radius: .4rem; cursor: pointer; overflow-wrap: anywhere; }
#list [aria-current] { outline: 2px solid Highlight; }
small { display: block; opacity: .8; }
`;

/**
 * The script of an exported page. It has a list of steps, a slider through them, and the pictures of one step, with a frame around what
 * differs. It writes texts only as text, as they come from phones and callers.
 */
export const PAGE_SCRIPT = `
'use strict';
const entries = JSON.parse(document.getElementById('entries').textContent);
const byId = (id) => document.getElementById(id);
const element = (name, text) => Object.assign(document.createElement(name), { textContent: text });
const place = byId('place');
const buttons = entries.map((entry, at) => {
  const button = element('button', entry.kind + ' ' + JSON.stringify(entry.request));
  button.append(element('small', new Date(entry.at).toLocaleString() + ', ' + entry.key + ', ' + entry.outcome));
  button.addEventListener('click', () => show(at));
  const item = document.createElement('li');
  item.append(button);
  byId('list').append(item);
  return button;
});
const load = (source) => new Promise((resolve) => {
  if (source === undefined) return resolve(undefined);
  const image = new Image();
  image.onload = () => resolve(image);
  image.onerror = () => resolve(undefined);
  image.src = source;
});
function drawn(image) {
  const canvas = document.createElement('canvas');
  canvas.width = image.naturalWidth;
  canvas.height = image.naturalHeight;
  const context = canvas.getContext('2d', { willReadFrequently: true });
  context.drawImage(image, 0, 0);
  return { canvas, context };
}
function difference(one, other) {
  const { width, height } = one.canvas;
  if (width !== other.canvas.width || height !== other.canvas.height) return undefined;
  const [a, b] = [one, other].map(({ context }) => context.getImageData(0, 0, width, height).data);
  let [left, top, right, bottom] = [width, height, -1, -1];
  for (let at = 0; at < a.length; at += 4) {
    if (Math.abs(a[at] - b[at]) + Math.abs(a[at + 1] - b[at + 1]) + Math.abs(a[at + 2] - b[at + 2]) < 96) continue;
    const x = (at / 4) % width, y = Math.floor(at / 4 / width);
    left = Math.min(left, x); right = Math.max(right, x); top = Math.min(top, y); bottom = Math.max(bottom, y);
  }
  return right < 0 ? undefined : [left, top, right - left + 1, bottom - top + 1];
}
let shown = -1;
async function show(at) {
  const entry = entries[at];
  if (entry === undefined) return;
  shown = at;
  place.value = String(at);
  buttons.forEach((button, other) => other === at ? button.setAttribute('aria-current', 'step') : button.removeAttribute('aria-current'));
  byId('facts').textContent = (at + 1) + ' of ' + entries.length + ': ' + entry.kind + ' by ' + entry.key + ' at ' +
    new Date(entry.at).toLocaleString() + ', ' + entry.outcome + ' in ' + entry.duration_ms + ' ms' + (entry.app ? ', ' + entry.app : '') +
    (entry.message ? '\\n' + entry.message : '') + '\\n' + JSON.stringify(entry.request);
  byId('changed').textContent = entry.changed || '';
  const images = await Promise.all([load(entry.before), load(entry.after)]);
  if (shown !== at) return;
  const pictures = images.map((image) => image && drawn(image));
  const box = pictures[0] && pictures[1] && difference(pictures[0], pictures[1]);
  byId('pictures').replaceChildren(...pictures.flatMap((picture, side) => {
    if (picture === undefined) return [];
    if (box !== undefined) {
      picture.context.strokeStyle = '#e8590c';
      picture.context.lineWidth = 3;
      picture.context.strokeRect(...box);
    }
    const figure = document.createElement('figure');
    const name = side === 0 ? 'Before' : 'After';
    picture.canvas.setAttribute('role', 'img');
    picture.canvas.setAttribute('aria-label', name);
    figure.append(picture.canvas, element('figcaption', name));
    return [figure];
  }));
}
place.max = String(Math.max(0, entries.length - 1));
place.addEventListener('input', () => show(Number(place.value)));
if (entries.length === 0) byId('facts').textContent = 'Nothing was kept in this time.';
else show(0);
`;
