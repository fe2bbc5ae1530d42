import type { Operation } from '../pages/api.js';
import { curlSample } from './curl.js';
import { goSample } from './go.js';
import { pythonSample } from './python.js';
import { sampleOf, type SampleRequest } from './request.js';
import { typescriptSample } from './typescript.js';

/** A language that has a sample of every operation. */
export interface Language {
  /** In addresses, and of its colours. */
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

/** Returns the samples of an operation, in the order of the languages. */
export function samplesOf(operation: Operation): { language: Language; code: string }[] {
  const request = sampleOf(operation);
  return LANGUAGES.map((language) => ({ language, code: language.sample(request).trimEnd() }));
}
