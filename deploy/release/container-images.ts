import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../kit/async/clock.js';
import { writePhoneImage } from '../../simulated-phone/image/phone-image.js';
import { type Release, SkippedPart } from './part.js';
import { ProgramFailed, runProgram } from './run-program.js';

/** How long a container of the service may take to serve, ms. */
const START_MS = 60_000;

/** Builds the image of the services, runs it, and writes it into a file. */
export async function releaseServiceImage({ root, output, version, images }: Release): Promise<string> {
  const engine = await findEngine();
  const name = `cloudphone:${version}`;
  const file = join(root, 'deploy/Dockerfile');
  const built = {
    NODE_IMAGE: images.node ?? inFile(file, 'NODE_IMAGE'),
    BASE_IMAGE: images.base ?? inFile(file, 'BASE_IMAGE'),
  };
  for (const image of Object.values(built)) await have(engine, image);
  const words = Object.entries(built).flatMap(([argument, image]) => ['--build-arg', `${argument}=${image}`]);
  // Podman's own format has no health checks.
  const format = engine === 'podman' ? ['--format', 'docker'] : [];
  await runProgram(engine, ['build', ...format, ...words, '--tag', name, '--file', file, root]);
  await runsService(engine, name);
  return `${await save(engine, name, join(output, `cloudphone-image-${version}.tar`))}, run with ${engine}`;
}

/** Writes the image of the simulated phone, and loads it into a container engine where one works here. */
export async function releasePhoneImage({ root, output, version }: Release): Promise<string> {
  const path = join(output, `cloudphone-simulated-phone-${version}.tar`);
  const { names, sizeBytes } = await writePhoneImage(root, path);
  if (!names.includes(`localhost/cloudphone/simulated-phone:${version}`))
    throw new Error(`The image has the names ${names.join(', ')}.`);
  const loaded = await findEngine()
    .then(async (engine) => {
      await runProgram(engine, ['load', '--input', path]);
      return `loaded by ${engine}`;
    })
    .catch((error: unknown) => {
      if (error instanceof SkippedPart) return `not loaded: ${error.message}`;
      throw error;
    });
  return `${Math.round(sizeBytes / 1e6)} MB, ${loaded}`;
}

async function findEngine(): Promise<string> {
  for (const engine of ['docker', 'podman']) {
    const works = await runProgram(engine, ['info']).then(
      () => true,
      () => false,
    );
    if (works) return engine;
  }
  throw new SkippedPart('neither docker nor podman works here');
}

/** Returns the default that a Dockerfile gives to one of its arguments. */
function inFile(path: string, argument: string): string {
  const [, image] = new RegExp(`^ARG ${argument}=(\\S+)$`, 'm').exec(readFileSync(path, 'utf8')) ?? [];
  if (image === undefined) throw new Error(`${path} has no ARG ${argument} with an image.`);
  return image;
}

/** Pulls a base image of the build, unless the engine has it. */
async function have(engine: string, image: string): Promise<void> {
  try {
    await runProgram(engine, ['image', 'inspect', image]);
  } catch {
    // The image is not here yet.
    await runProgram(engine, ['pull', '--quiet', image]).catch((error: unknown) => {
      if (error instanceof ProgramFailed && error.hadNoNetwork)
        throw new SkippedPart(`${engine} cannot get ${image}. Name others by --node-image and --base-image`);
      throw error;
    });
  }
}

async function runsService(engine: string, name: string): Promise<void> {
  const hardened = ['--read-only', '--tmpfs', '/tmp', '--cap-drop', 'ALL', '--network', 'none'];
  const id = (await runProgram(engine, ['run', '--detach', ...hardened, name])).trim();
  try {
    const deadlineMs = systemClock.monotonicMs() + START_MS;
    for (;;) {
      const fault = await runProgram(engine, ['exec', id, 'cloudphone', 'admin', 'account', 'list']).then(
        () => undefined,
        (error: unknown) => error as Error,
      );
      if (fault === undefined) return;
      if (systemClock.monotonicMs() > deadlineMs) throw fault;
      await systemClock.sleep(500);
    }
  } finally {
    await runProgram(engine, ['rm', '--force', '--volumes', id]);
  }
}

async function save(engine: string, name: string, path: string): Promise<string> {
  rmSync(path, { force: true });
  await runProgram(engine, ['save', '--output', path, name]);
  await runProgram('gzip', ['--force', path]);
  return `${name} saved`;
}
