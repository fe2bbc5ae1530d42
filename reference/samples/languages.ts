import { curlSample } from './curl.js';
import { goSample } from './go.js';
import { pythonSample } from './python.js';
import type { SampleRequest } from './request.js';
import { typescriptSample } from './typescript.js';

/** A language that has a sample of every operation. */
export interface Language {
  /** The language's name in ids and CSS classes of a page, and the name by which its code is highlighted. */
  id: 'sh' | 'ts' | 'py' | 'go';
  name: string;
  sample: (request: SampleRequest) => string;
}

export const LANGUAGES: readonly Language[] = [
  { id: 'sh', name: 'curl', sample: curlSample },
  { id: 'ts', name: 'TypeScript', sample: typescriptSample },
  { id: 'py', name: 'Python', sample: pythonSample },
  { id: 'go', name: 'Go', sample: goSample },
];

/** Returns the programs that send a request, in the order of the languages. */
export function samplesOf(request: SampleRequest): { language: Language; code: string }[] {
  return LANGUAGES.map((language) => ({ language, code: language.sample(request).trimEnd() }));
}
