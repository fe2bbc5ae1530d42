import { sampleOf } from '../api/sample-of.js';
import { samplesOf } from '../samples/languages.js';
import type { Operation } from '../api/api.js';
import { codeBlock } from './code-block.js';
import { attributeIf, type Html, markup } from './html.js';

/** The samples of an operation, as tabs that need no script. */
export function sampleTabs(operation: Operation): Html {
  const { id, title } = operation;
  const samples = samplesOf(sampleOf(operation));
  const tab = ({ language }: (typeof samples)[number], index: number): Html => {
    const place = `${id}.${language.id}`;
    const first = attributeIf(index === 0, 'checked');
    return markup`<input type="radio" name="${id}.language" id="${place}" value="${language.id}"${first}>
      <label for="${place}">${language.name}</label>`;
  };
  const shown = samples.map(
    ({ language, code }) => markup`<div class="sample ${language.id}">${codeBlock(code, language.id)}</div>`,
  );
  return markup`<fieldset class="samples">
    <legend class="unseen">Language of the sample: ${title}</legend>
    ${samples.map(tab)}
    ${shown}
  </fieldset>`;
}

/** The example of a response, or of an event. */
export function exampleBlock(title: string, type: string, example: unknown): Html {
  const code = typeof example === 'string' ? example : JSON.stringify(example, undefined, 2);
  return markup`<figure class="example">
    <figcaption>${title}</figcaption>
    ${codeBlock(code, type === 'application/json' ? 'json' : '')}
  </figure>`;
}
