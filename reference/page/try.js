import { element } from './element.js';
import { signedIn, signedOut } from './session.js';

/** Shows the forms that send operations. The browser adds the session's cookie, as these pages and the API have one origin. */
export function showForms() {
  for (const place of document.querySelectorAll('details.try')) {
    place.hidden = false;
    const form = place.querySelector('form');
    place.addEventListener('toggle', () => place.open && showSession());
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      // What is deleted seldom comes back.
      if (form.dataset.method === 'DELETE') confirmed(form).then((isMeant) => isMeant && send(place, form));
      else send(place, form);
    });
  }
  // Readers sign in on another page, and come back.
  document.addEventListener('visibilitychange', () => {
    const isUsed = document.querySelector('details.try[open]') !== null;
    if (document.visibilityState === 'visible' && isUsed) showSession();
  });
}

let asking;

/** Shows in every open form whose session it is sent with, or that there is none. Forms that are opened meanwhile wait for the same response. */
async function showSession() {
  asking ??= signedIn().finally(() => (asking = undefined));
  const email = await asking;
  if (email === undefined) return;
  for (const form of document.querySelectorAll('details.try[open] form:not([data-access=anyone])')) {
    const text = `Sent as ${email ?? ''}, to this service. Its effects are real.`;
    form.querySelector('.who').replaceChildren(...(email === null ? signedOut() : [text]));
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

async function send(place, form) {
  const outcome = place.querySelector('.outcome');
  const button = form.querySelector('[type=submit]');
  const show = (...parts) => {
    outcome.replaceChildren(...parts);
    reveal(outcome);
  };
  let request;
  try {
    request = requestOf(form);
  } catch (error) {
    show(failureOf(error.message));
    return;
  }
  button.disabled = true;
  show(element('p', { class: 'line' }, 'Sending…'));
  const startedMs = performance.now();
  let tookMs;
  try {
    const sent = fetch(request).finally(() => (tookMs = performance.now() - startedMs));
    // Loaded with the first request: most readers send none.
    const [response, { outcomeOf }] = await Promise.all([sent, import('./outcome.js')]);
    show(...(await outcomeOf(response, { tookMs, access: form.dataset.access })));
  } catch {
    show(failureOf('The service did not respond. Check that it runs, then send it again.'));
  } finally {
    button.disabled = false;
  }
}

/** A text in place of a response. */
function failureOf(text) {
  return element('p', { class: 'line bad' }, text);
}

/** Brings the response into view: all of it where there is room, else its beginning. Pictures get their height when they are decoded. */
async function reveal(outcome) {
  await Promise.allSettled([...outcome.querySelectorAll('img')].map((picture) => picture.decode()));
  const isTall = outcome.offsetHeight > innerHeight / 2;
  outcome.scrollIntoView({ block: isTall ? 'start' : 'nearest' });
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
  // The header is set without a body too, as it shows that no form of another page sent the request.
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
