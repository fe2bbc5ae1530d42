import { sampleOf } from '../samples/request.js';
import type { Operation, Parameter } from './api.js';
import { attributeIf, type Html, markup } from './html.js';

/** The form that sends the operation as the person who is signed in. It is shown by the page's script, without which it does nothing. */
export function tryForm(operation: Operation): Html {
  const { id, title, method, path, parameters, access } = operation;
  const { kind } = sampleOf(operation).result;
  if (kind === 'socket' || kind === 'events') {
    const connection = kind === 'socket' ? 'a WebSocket' : 'a stream of events';
    return markup`<p class="no-try">This is ${connection}, which cannot be tried here. Use a sample.</p>`;
  }
  const who = access === 'anyone' ? 'Sent without a key' : 'Sent with your session in the panel';
  return markup`<details class="try" hidden>
    <summary>Try it<span class="unseen">: ${title}</span></summary>
    <form data-method="${method}" data-path="${path}" data-access="${access}" data-result="${kind}" autocomplete="off">
      ${parameters.map((parameter) => input(id, parameter))}
      ${bodyInput(operation)}
      <p class="soft">${who}, to this service: what it changes is changed.</p>
      <div class="send"><button type="submit">Send</button></div>
      <div class="outcome" role="status"></div>
    </form>
  </details>`;
}

function input(id: string, { name, in: place, required, schema, example }: Parameter): Html {
  const field = `try.${id}.${place}.${name}`;
  // Not of headers: a repeated Idempotency-Key repeats nothing.
  const value = place === 'header' ? '' : textOf(example);
  const words = schema.enum ?? (schema.type === 'boolean' ? ['true', 'false'] : []);
  const flags = [attributeIf(required, 'required'), attributeIf(schema.type === 'array', 'data-list')];
  const names = markup`id="${field}" name="${place}.${name}"${flags}`;
  const option = (word: string): Html =>
    markup`<option value="${word}"${attributeIf(word === value, 'selected')}>${word === '' ? '(not sent)' : word}</option>`;
  const control =
    words.length === 0
      ? markup`<input type="text" ${names} value="${value}" spellcheck="false">`
      : markup`<select ${names}>${['', ...words].map(option)}</select>`;
  return labelled(field, markup`<code>${name}</code> <span class="type">${place}</span>`, control);
}

/** An example as it is typed: a list with commas. */
function textOf(example: Parameter['example']): string {
  return [example ?? ''].flat().join(',');
}

function bodyInput({ id, body }: Operation): Html | undefined {
  if (body === undefined) return undefined;
  const field = `try.${id}.body`;
  if (body.type !== 'application/json' || body.content.example === undefined) {
    const label = markup`Body <span class="type">${body.type}</span>`;
    return labelled(
      field,
      label,
      markup`<input type="file" id="${field}" name="file" data-type="${body.type}" required>`,
    );
  }
  const text = JSON.stringify(body.content.example, undefined, 2);
  const rows = Math.min(ROWS_MAX, text.split('\n').length);
  const control = markup`<textarea id="${field}" name="body" rows="${rows}" spellcheck="false">${text}</textarea>`;
  return labelled(field, markup`Body <span class="type">JSON</span>`, control);
}

/** Most lines of a body that are in sight at once. */
const ROWS_MAX = 16;

function labelled(field: string, label: Html, control: Html): Html {
  return markup`<div class="field"><label for="${field}">${label}</label>${control}</div>`;
}
