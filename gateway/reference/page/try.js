import { element } from './element.js';
import { outcomeOf, failureOf } from './outcome.js';

/** Shows the forms that send operations. The browser adds the session's cookie, as these pages and the API have one origin. */
export function showForms() {
  for (const place of document.querySelectorAll('details.try')) {
    place.hidden = false;
    const form = place.querySelector('form');
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      // What is deleted seldom comes back.
      if (form.dataset.method === 'DELETE') confirmed(form).then((isMeant) => isMeant && send(form));
      else send(form);
    });
  }
}

/** Has the reader confirm, in place of the button. */
function confirmed(form) {
  const buttons = form.querySelector('.send');
  const before = [...buttons.childNodes];
  const yes = element('button', { type: 'button', class: 'danger' }, 'Send DELETE');
  const no = element('button', { type: 'button', class: 'quiet' }, 'Cancel');
  buttons.replaceChildren(element('span', { role: 'alert' }, 'It may be impossible to undo.'), yes, no);
  no.focus();
  return new Promise((resolve) => {
    const end = (isMeant) => {
      buttons.replaceChildren(...before);
      buttons.querySelector('button').focus();
      resolve(isMeant);
    };
    yes.addEventListener('click', () => end(true));
    no.addEventListener('click', () => end(false));
  });
}

async function send(form) {
  const outcome = form.querySelector('.outcome');
  const button = form.querySelector('[type=submit]');
  let request;
  try {
    request = requestOf(form);
  } catch (error) {
    outcome.replaceChildren(failureOf(error.message));
    return;
  }
  button.disabled = true;
  outcome.replaceChildren('Sending…');
  const startedMs = performance.now();
  try {
    const response = await fetch(request);
    const shown = await outcomeOf(response, { tookMs: performance.now() - startedMs, access: form.dataset.access });
    outcome.replaceChildren(...shown);
  } catch {
    outcome.replaceChildren(failureOf('The service did not respond. Check that it runs, then send it again.'));
  } finally {
    button.disabled = false;
  }
}

/** The request of a form's values. Throws an error with a text for the reader where they make none. */
function requestOf(form) {
  const { method, path: template } = form.dataset;
  const headers = new Headers();
  const query = new URLSearchParams();
  let path = template;
  for (const field of form.querySelectorAll('[name]')) {
    const [place, name] = field.name.split(/\.(.*)/);
    const value = place === 'file' || place === 'body' ? '' : field.value.trim();
    if (place === 'path') path = path.replace(`{${name}}`, encodeURIComponent(value));
    if (value === '') continue;
    if (place === 'header') headers.set(name, value);
    if (place === 'query') {
      const values = 'list' in field.dataset ? value.split(',') : [value];
      for (const one of values) query.append(name, one.trim());
    }
  }
  const body = bodyOf(form, headers);
  const address = query.size === 0 ? path : `${path}?${query}`;
  return new Request(address, { method, headers, cache: 'no-store', ...(body !== undefined && { body }) });
}

function bodyOf(form, headers) {
  const file = form.querySelector('[name=file]');
  if (file !== null) {
    headers.set('Content-Type', file.dataset.type);
    return file.files[0];
  }
  // Also without a body: it shows that no form of another page sent the request.
  if (form.dataset.method !== 'GET') headers.set('Content-Type', 'application/json');
  const text = form.querySelector('[name=body]')?.value;
  if (text === undefined) return undefined;
  try {
    JSON.parse(text);
  } catch (error) {
    throw new Error(`The body is not JSON: ${error.message}`, { cause: error });
  }
  return text;
}
