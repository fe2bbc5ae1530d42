'use strict';

const { appendFileSync } = require('node:fs');
const { reporters } = require('mocha');

/** Mocha's usual report, which also appends the file of each failed test or hook to the file that `--reporter-option to=` names. */
module.exports = class FailedFiles extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    runner.on('fail', ({ file, parent }) => appendFileSync(options.reporterOptions.to, `${file ?? parent.file}\n`));
  }
};
