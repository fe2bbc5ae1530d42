import { join } from 'node:path';
import { type Release, SkippedPart } from './part.js';
import { ProgramFailed, runProgram } from './run-program.js';

/** The smallest set of values with which the chart renders. */
const SMALLEST_VALUES = JSON.stringify({
  secrets: { mongodbUrl: 'mongodb://db/?replicaSet=rs' },
  phones: {
    gateImage: 'gate:1',
    models: [
      {
        ...{ model: 'a', driver: 'kubernetes', android: '14', image: 'android:14' },
        screen: { width: 720, height: 1280, density: 320 },
      },
    ],
  },
});

/** Lints and packs the Helm chart, and renders what was packed. */
export async function releaseChart({ root, output, version }: Release): Promise<string> {
  const chart = join(root, 'deploy/helm/cloudphone');
  const helm = (words: string[]): Promise<string> => runProgram('helm', words, { input: SMALLEST_VALUES });
  try {
    await helm(['lint', '--strict', chart, '--values', '-']);
  } catch (error) {
    if (error instanceof ProgramFailed && error.isMissing)
      throw new SkippedPart('needs helm on the PATH; testing/helm/build makes it, in 3 minutes, and prints its path');
    throw error;
  }
  await helm(['package', chart, '--destination', output]);
  const packed = join(output, `cloudphone-${version}.tgz`);
  const rendered = await helm(['template', 'phones', packed, '--kube-version', '1.34.0', '--values', '-']);
  const image = `cloudphone:${version}`;
  if (!rendered.includes(image)) throw new Error(`The packed chart does not run the image ${image}.`);
  return 'linted, packed, rendered';
}
