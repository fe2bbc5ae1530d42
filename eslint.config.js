import js from '@eslint/js';
import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';
import boundNames from './scripts/lint/bound-names.js';
import begunPromises from './scripts/lint/begun-promises.js';
import plainComments from './scripts/lint/plain-comments.js';
import { UNFINISHED } from './scripts/lint/unfinished.js';

const services = ['gateway', 'device-service', 'screen-service', 'relay-service', 'webhook-service', 'status-service'];

// Dependencies point one way: services -> phone -> kit -> proto/gen. Services meet only in proto/.
// Each rule names what a folder may not import; tests may import anything.
const floors = [
  ...services.map((service) => ({ folder: service, never: [...services.filter((other) => other !== service)] })),
  { folder: 'admin', never: [...services, 'simulated-phone'] },
  { folder: 'phone', never: [...services, 'admin', 'simulated-phone'] },
  { folder: 'simulated-phone', never: [...services, 'admin'] },
  { folder: 'kit', never: [...services, 'phone', 'simulated-phone'] },
  // What callers install has nothing of the service in it.
  { folder: 'client', never: [...services, 'admin', 'phone', 'simulated-phone', 'embedded-mongo', 'kit', 'proto'] },
  { folder: 'cli', never: [...services, 'admin', 'phone', 'simulated-phone', 'embedded-mongo', 'kit', 'proto', 'mcp'] },
  {
    folder: 'replay',
    never: [...services, 'admin', 'phone', 'simulated-phone', 'embedded-mongo', 'kit', 'proto', 'mcp', 'cli'],
  },
  { folder: 'mcp', never: [...services, 'admin', 'phone', 'simulated-phone', 'embedded-mongo', 'kit', 'proto'] },
  { folder: 'gym', never: [...services, 'admin', 'embedded-mongo', 'kit', 'proto', 'mcp'] },
];

export default tseslint.config(
  {
    ignores: ['**/dist', 'data', 'panel/gen', 'proto/gen', 'proto/deps', '**/node_modules', '*/src/openapi.ts'],
  },
  js.configs.recommended,
  ...tseslint.configs.strictTypeChecked.map((config) => ({ ...config, files: ['**/*.ts', '**/*.tsx'] })),
  {
    files: ['**/*.ts', '**/*.tsx'],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      // Numbers in templates are what templates are for.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      // A method that must be async by its interface need not await.
      '@typescript-eslint/require-await': 'off',
      // noPropertyAccessFromIndexSignature (tsconfig) wants brackets where this rule wants dots.
      '@typescript-eslint/dot-notation': 'off',
      '@typescript-eslint/no-non-null-assertion': 'error',
    },
  },
  {
    // Only config.ts reads the environment; time comes from the clock that was passed in.
    files: ['**/*.ts'],
    ignores: [
      '**/config.ts',
      'kit/async/clock.ts',
      'client/src/platform.ts',
      'kit/config/**',
      'start.ts',
      'panel/src/**',
      '**/main.ts',
      'test/**',
      'testing/**',
      '**/*.test.ts',
    ],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Only config.ts reads the environment.' },
        { object: 'Date', property: 'now', message: 'Use the clock that was passed in.' },
        { object: 'Math', property: 'random', message: 'Use the randomness that was passed in.' },
        { object: 'URL', property: 'canParse', message: 'Use parseUrl of kit/text/parse-url.ts, which says why.' },
      ],
      'no-restricted-globals': [
        'error',
        { name: 'setTimeout', message: 'Use the clock that was passed in.' },
        { name: 'setInterval', message: 'Use the clock that was passed in.' },
      ],
    },
  },
  {
    // On a signal that lives long, each use with a listener would leave a kilobyte (docs/adr/0081-cancellation.md).
    files: ['**/*.{ts,tsx,js,mjs}'],
    ignores: ['**/*.test.ts', 'test/**', 'testing/**', '**/testing/**'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: 'MemberExpression[object.name="AbortSignal"][property.name="any"]',
          message: 'Use Cancellation of kit/async/within.ts, or abortWith of client/src/abort-with.ts.',
        },
      ],
    },
  },
  {
    // Work that is begun ahead may not reject unheard. Tests may: mocha fails the test, which is what is wanted.
    files: ['**/*.ts'],
    ignores: ['**/*.test.ts', 'test/**', 'testing/**', '**/testing/**', 'panel/**'],
    plugins: { cloudphone: { rules: { 'begun-promises': begunPromises } } },
    rules: {
      'cloudphone/begun-promises': [
        'error',
        {
          // Each handles the promise that it gets before it returns.
          handlers: [
            ...['destroyedOnError', 'follow', 'inTime', 'run', 'track', 'try'],
            ...['unlessAborted', 'unlessEnded', 'unlessGone', 'unlessItFails', 'within'],
          ],
        },
      ],
    },
  },
  {
    files: ['**/*.{ts,tsx,js,mjs}'],
    plugins: { bounds: { rules: { 'bound-names': boundNames } } },
    rules: { 'bounds/bound-names': 'error' },
  },
  {
    // Sentences that are read once. scripts/check-documents.mjs checks those of Markdown and .proto files.
    files: ['**/*.{ts,tsx,js,mjs}'],
    ignores: UNFINISHED.map((path) => path.replace(/\/$/, '/**')),
    plugins: { sentences: { rules: { 'plain-comments': plainComments } } },
    rules: { 'sentences/plain-comments': 'error' },
  },
  ...floors.map(({ folder, never }) => ({
    files: [`${folder}/**/*.ts`],
    ignores: ['**/*.test.ts', '**/testing/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            { regex: `^(\\.\\./)+(${[...never, 'test'].join('|')})/`, message: `${folder}/ must not import this.` },
          ],
        },
      ],
    },
  })),
  {
    files: ['**/*.test.ts', 'test/**/*.ts', 'testing/**/*.ts'],
    rules: {
      '@typescript-eslint/no-unused-expressions': 'off', // chai's property assertions
      '@typescript-eslint/no-non-null-assertion': 'off', // a failed assertion is the answer wanted
      // Tests read the bodies of REST responses without types: the types are under test.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
    },
  },
  { ...reactHooks.configs.flat.recommended, files: ['panel/src/**'] },
  {
    files: ['**/*.mjs', '*.js'],
    languageOptions: {
      globals: Object.fromEntries(
        ['process', 'console', 'URL', 'Buffer', 'fetch', 'AbortSignal'].map((name) => [name, 'readonly']),
      ),
    },
  },
  {
    // The scripts of the reference's pages run in browsers.
    files: ['reference/page/*.js'],
    languageOptions: {
      globals: Object.fromEntries(
        [
          ...['document', 'location', 'navigator', 'localStorage', 'performance', 'scrollBy', 'setTimeout'],
          ...['fetch', 'Headers', 'Request', 'URL', 'URLSearchParams'],
          ...['addEventListener', 'atob', 'Blob', 'innerHeight', 'window'],
        ].map((name) => [name, 'readonly']),
      ),
    },
  },
);
