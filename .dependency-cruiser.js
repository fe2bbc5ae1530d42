/** Tests, and what only they use. */
const TESTS = '\\.test\\.ts$|^test/|(^|/)testing/';

// Forbids circular imports, type-only ones included: two files that need each other are one idea, or hide a third.
export default {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      // Only tests import what is made for tests.
      name: 'no-testing-in-product',
      severity: 'error',
      from: { pathNot: [TESTS, '^gateway/(edge-world|raw-client)\\.ts$'] },
      to: { path: TESTS },
    },
    {
      // The panel runs in browsers and knows the service by its public API alone, as everybody's programs do.
      name: 'panel-is-a-client',
      severity: 'error',
      from: { path: '^gateway/panel/src/' },
      to: { pathNot: '^gateway/panel/(src|gen)/|^node_modules/' },
    },
  ],
  options: {
    doNotFollow: { path: ['node_modules', '^proto/gen/'] },
    exclude: { path: ['(^|/)dist/', '^data/', '^proto/deps/'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'node', 'default'] },
  },
};
