// Forbids circular imports, type-only ones included: two files that need each other are one idea, or hide a third.
export default {
  forbidden: [{ name: 'no-circular', severity: 'error', from: {}, to: { circular: true } }],
  options: {
    doNotFollow: { path: ['node_modules', '^proto/gen/'] },
    exclude: { path: ['^dist/', '^data/', '^proto/deps/'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'node', 'default'] },
  },
};
