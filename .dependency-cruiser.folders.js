import imports from './.dependency-cruiser.js';

/** Tests, and what only they use. */
const TESTS = '\\.test\\.ts$|^test/|(^|/)testing/|^gateway/(edge-world|raw-client)\\.ts$';

// Forbids cycles of folders: two folders that need each other are one idea, or have a file in the wrong place. Tests may know everything.
export default {
  forbidden: [
    {
      name: 'no-folder-cycle',
      severity: 'error',
      scope: 'folder',
      from: {},
      to: { circular: true },
    },
  ],
  options: { ...imports.options, exclude: { path: [...imports.options.exclude.path, TESTS] } },
};
