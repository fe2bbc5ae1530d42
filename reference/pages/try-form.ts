import { type Api, type Operation, type Parameter, resolve } from '../api/api.js';
import { sampleOf } from '../api/sample-of.js';
import { attributeIf, type Html, markup } from './html.js';

/** The form that sends the operation as the person who is signed in. It is shown by the page's script, without which it does nothing. */
export function tryForm(operation: Operation, { schemas }: Pick<Api, 'schemas'>): Html {
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
      ${parameters.map((parameter) => input(id, parameter, schemas))}
      ${bodyInput(operation)}
      <p class="soft who">${who}, to this service. Its effects are real.</p>
      <div class="send"><button type="submit">Send</button></div>
    </form>
    <div class="outcome" role="status" tabindex="-1"></div>
  </details>`;
}

function input(id: string, parameter: Parameter, schemas: Api['schemas']): Html {
  const { name, in: place, required, example } = parameter;
  const { $ref } = parameter.schema;
  const schema = $ref === undefined ? parameter.schema : resolve($ref, schemas);
  const field = `try.${id}.${place}.${name}`;
  // The example of a header is left out: with a repeated Idempotency-Key, the operation would not run again.
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

/** Returns an example as people type it; the items of a list are separated by commas. */
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
  const rows = Math.min(MAX_ROWS, text.split('\n').length);
  const control = markup`<textarea id="${field}" name="body" rows="${rows}" spellcheck="false">${text}</textarea>`;
  return labelled(field, markup`Body <span class="type">JSON</span>`, control);
}

/** The most lines that the field of a body shows at the same time. */
const MAX_ROWS = 16;

function labelled(field: string, label: Html, control: Html): Html {
  return markup`<div class="field"><label for="${field}">${label}</label>${control}</div>`;
}
