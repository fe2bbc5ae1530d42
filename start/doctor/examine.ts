import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freeSpaceOf } from '../../kit/files/host-space.js';
import { connectMongo } from '../../kit/db/mongo.js';
import { silentLog } from '../../kit/log/log.js';
import { certificatesOf } from '../../kit/ops/certificate-metrics.js';
import type { ImageBasedModel } from '../../phone/image-based/model.js';
import { modelsParser } from '../../phone/image-based/models-file.js';
import { readStartConfig, type StartConfig, wantedPorts } from '../config.js';
import { checkEngine } from './check-engine.js';
import { checkBackup, checkCertificates, checkClock, checkDisk, checkPorts } from './check-host.js';
import { checkKernel } from './check-kernel.js';
import { checkSnapshotStore } from './check-snapshot-store.js';
import { checkPhoneDisk } from './check-phone-disk.js';
import { type Finding, fail, type Machine, ok, skipped } from './finding.js';

/**
 * Examines this machine with the settings of a start of the service. It changes nothing, and works while the service runs and while it does
 * not. Settings that cannot be read end the examination, as the other checks depend on them.
 */
export async function examine(environment: NodeJS.ProcessEnv, machine: Machine): Promise<Finding[]> {
  let config: StartConfig;
  try {
    config = readStartConfig(environment, false);
  } catch (error) {
    return [fail('settings', oneLine(error), 'Correct them; docs/settings.md lists all.')];
  }
  const models = await readModels(config.driver.modelsFile);
  const found = 'found' in models ? [] : models.models;
  const service = await checkService(config.dataDirectory, machine);
  const database = await checkDatabase(config, service.isRunning);
  const { kinds } = config.driver;
  return [
    ok('settings', `they can be used; phones are ${kinds.join(', ')}`),
    ...('found' in models ? [models] : []),
    ...(await checkClock(database.timeMs, machine)),
    await checkDisk(config.dataDirectory, freeSpaceOf),
    await checkPhoneDisk({ kinds, dataDirectory: config.dataDirectory }, machine),
    ...(await checkEngine(config.driver, found, machine)),
    ...(await checkKernel(kinds, found, machine)),
    await checkPorts(wantedPorts(config), service.isRunning),
    ...(await checkCertificates(certificatesOf(config), machine.now())),
    await checkSnapshotStore(config.snapshotBucket),
    await checkBackup(config.dataDirectory, machine),
    database.finding,
    ...service.findings,
  ];
}

async function readModels(path: string | undefined): Promise<{ models: ImageBasedModel[] } | Finding> {
  if (path === undefined) return { models: [] };
  try {
    const { value, faults } = modelsParser()(await readFile(path, 'utf8'));
    return faults.length === 0 ? { models: value } : fail('models', faults.join('; '), 'Correct MODELS_FILE.');
  } catch (error) {
    return fail('models', oneLine(error), 'Set MODELS_FILE to a file that this user can read.');
  }
}

async function checkDatabase(
  { mongodbUrl: url, mongodbDatabase }: StartConfig,
  isRunning: boolean,
): Promise<{ finding: Finding; timeMs?: number }> {
  if (url === undefined)
    return {
      finding: isRunning
        ? ok('database', 'the embedded one, which the running service checks')
        : skipped('database', 'the embedded one runs with the service, which does not run'),
    };
  try {
    const connection = await connectMongo({ url, database: mongodbDatabase, log: silentLog });
    try {
      const { localTime, setName } = (await connection.database.command({ hello: 1 })) as {
        localTime: Date;
        setName?: string;
      };
      const timeMs = localTime.getTime();
      if (setName !== undefined) return { finding: ok('database', `the primary of "${setName}" responds`), timeMs };
      const next = 'Start mongod with --replSet and run rs.initiate(): transactions need a replica set.';
      return { finding: fail('database', 'it is not part of a replica set', next), timeMs };
    } finally {
      await connection.close();
    }
  } catch (error) {
    const next = 'Start it, correct MONGODB_URL, or open the way to it in the firewall.';
    return { finding: fail('database', oneLine(error), next) };
  }
}

/** Finds the running service by the file that it writes into its data folder, and has its problems. */
async function checkService(
  dataDirectory: string,
  machine: Machine,
): Promise<{ isRunning: boolean; findings: Finding[] }> {
  const url = opsUrlIn(await machine.readText(join(dataDirectory, 'quickstart.json')));
  const health = url === undefined ? undefined : await machine.ask({ url: `${url}/v1/health` });
  const problems = problemsIn(health?.body);
  if (problems === undefined)
    return { isRunning: false, findings: [skipped('service', `none runs on ${dataDirectory} that npm start began`)] };
  const findings = problems.map((problem) =>
    fail('service', problem, 'The log of the service, and `admin host list`, have more.'),
  );
  return { isRunning: true, findings: findings.length > 0 ? findings : [ok('service', 'it runs without problems')] };
}

function opsUrlIn(text: string | undefined): string | undefined {
  try {
    const { ops_url: url } = JSON.parse(text ?? '{}') as { ops_url?: unknown };
    return typeof url === 'string' ? url : undefined;
  } catch {
    // The service is writing the file now, or somebody else has changed it.
    return undefined;
  }
}

function problemsIn(body: string | undefined): string[] | undefined {
  try {
    const { problems } = JSON.parse(body ?? '{}') as { problems?: unknown };
    return Array.isArray(problems) ? problems.map(String) : undefined;
  } catch {
    // Another program has this port now.
    return undefined;
  }
}

function oneLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).trim().replace(/\s*\n\s*/g, ' ');
}
