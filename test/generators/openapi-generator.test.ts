import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { startWorld, type World } from '../world.js';
import { operationIds, ToolFolder } from './tool-folder.js';

const VERSION = '7.17.0';
const ARTIFACT = `org.openapitools:openapi-generator-cli:${VERSION}`;
const COPY = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy';

const JAVA_PROGRAM = `import org.openapitools.client.*;
import org.openapitools.client.api.*;
import org.openapitools.client.model.*;

public class Program {
  public static void main(String[] words) throws Exception {
    ApiClient client = new ApiClient();
    client.setBasePath(words[0]);
    client.setBearerToken(words[1]);
    ExitChoice network = new ExitChoice().type(ExitChoice.TypeEnum.DIRECT).country("us");
    CreateDeviceBody body =
        new CreateDeviceBody().name("coffee").model("phone-720p").plan(Plan.MINUTE).network(network).start(false);
    DeviceApi devices = new DeviceApi(client);
    CreateDeviceResult made = devices.createDevice(body, null);
    System.out.println(made.getDevice().getName() + " " + made.getJob().getKind().getValue());
    try {
      devices.createDevice(body, null);
    } catch (ApiException refused) {
      System.out.println(refused.getCode());
    }
  }
}
`;

const TS_PROGRAM = `import { Configuration, DeviceApi, ExitChoiceTypeEnum, Plan, ResponseError } from './made/index.js';

declare const process: { argv: string[] };
const [basePath = '', accessToken = ''] = process.argv.slice(2);
const devices = new DeviceApi(new Configuration({ basePath, accessToken }));
const network = { type: ExitChoiceTypeEnum.Direct, country: 'us' };
const createDeviceBody = { name: 'script', model: 'phone-720p', plan: Plan.Minute, network, start: false };
const { device, job } = await devices.createDevice({ createDeviceBody });
console.log(device.name, job.kind);
try {
  await devices.createDevice({ createDeviceBody });
} catch (error) {
  if (error instanceof ResponseError) console.log(error.response.status);
}
`;

describe('the clients that openapi-generator makes of the reference', function () {
  // Packages are fetched and compiled, on machines that do other things too.
  this.timeout(900_000);
  let world: World;
  let folder: ToolFolder;
  before(async function () {
    folder = new ToolFolder();
    await folder.needs(this, 'Java', 'java', ['-version']);
    // Maven keeps what it fetches in the user's own folder, outside of this one.
    const copy = ['-q', '-B', COPY, `-Dartifact=${ARTIFACT}`, `-DoutputDirectory=${folder.path}`];
    await folder.needs(this, "Maven, and Maven's central repository", 'mvn', copy);
    world = await startWorld();
  });
  after(async () => {
    // The world is not there when before() skipped.
    await (world as World | undefined)?.close();
    folder.remove();
  });

  async function generate(generator: string, to: string): Promise<void> {
    const jar = folder.at(`openapi-generator-cli-${VERSION}.jar`);
    const words = ['-Xmx512m', '-jar', jar, 'generate', '-i', 'openapi.json', '-g', generator, '-o', folder.at(to)];
    const { status, printed } = await folder.run('java', words);
    expect(status, printed).to.equal(0);
  }

  it('for Java have every operation, compile, and make a device', async function () {
    await generate('java', 'java');
    folder.write(join('java', 'src', 'main', 'java', 'Program.java'), JAVA_PROGRAM);
    const cwd = folder.at('java');
    const from = join(cwd, 'src', 'main', 'java', 'org', 'openapitools', 'client', 'api');
    expect(missingFrom(from, (id) => new RegExp(`^ {4}public \\S+ ${id}\\(`, 'm'))).to.deep.equal([]);
    await folder.needs(this, "Maven's central repository", 'mvn', ['-q', '-B', '-f', 'java/pom.xml', 'compile']);
    const list = ['-q', '-B', 'dependency:build-classpath', `-Dmdep.outputFile=${folder.at('classpath')}`];
    await folder.needs(this, "Maven's central repository", 'mvn', [...list, '-f', 'java/pom.xml']);
    const classpath = `${join(cwd, 'target', 'classes')}:${readFileSync(folder.at('classpath'), 'utf8')}`;
    const { status, printed } = await folder.run('java', ['-cp', classpath, 'Program', world.mesh.url, world.key]);
    expect(status, printed).to.equal(0);
    expect(printed).to.match(/^coffee create\n400\n/);
  });

  it('for TypeScript have every operation, compile in strict mode, and make a device', async () => {
    await generate('typescript-fetch', 'made');
    expect(missingFrom(folder.at('made', 'apis'), (id) => new RegExp(`^    async ${id}\\(`, 'm'))).to.deep.equal([]);
    folder.write('package.json', '{"type": "module"}');
    folder.write('program.ts', TS_PROGRAM);
    const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
    // Its imports have no extensions, as bundlers take them.
    const options = [
      '--strict',
      '--target',
      'es2022',
      '--lib',
      'es2022,dom',
      '--module',
      'preserve',
      '--outDir',
      'out',
    ];
    const compiled = await folder.run(process.execPath, [tsc, ...options, 'program.ts']);
    expect(compiled.status, compiled.printed).to.equal(0);
    const vite = createRequire(import.meta.url).resolve('vite/package.json');
    const bundle = ['build', '--ssr', 'program.ts', '--outDir', 'bundle', '--logLevel', 'warn'];
    const bundled = await folder.run(process.execPath, [join(dirname(vite), 'bin', 'vite.js'), ...bundle]);
    expect(bundled.status, bundled.printed).to.equal(0);
    const [file = ''] = readdirSync(folder.at('bundle'));
    const words = [folder.at('bundle', file), world.mesh.url, world.key];
    const { status, printed } = await folder.run(process.execPath, words);
    expect(status, printed).to.equal(0);
    expect(printed).to.match(/^script create\n400\n/);
  });

  /** Names the operations of which no file of the folder has the method. */
  function missingFrom(path: string, methodOf: (id: string) => RegExp): string[] {
    expect(existsSync(path)).to.equal(true);
    const text = readdirSync(path).map((file) => readFileSync(join(path, file), 'utf8'));
    return operationIds().filter((id) => !text.some((one) => methodOf(id).test(one)));
  }
});
