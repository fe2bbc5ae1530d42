import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import ts from 'typescript';
import { skip } from '../../testing/skip.js';
import { readApi } from '../api/api.js';
import { wholeDocument } from '../document/whole-document.js';
import { sampleOf } from '../api/sample-of.js';
import { samplesOf } from './languages.js';

/** The repository, of which dist/ has compiled files only. */
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

describe('the samples of the reference', function () {
  // Compilers are started, on a machine that does other things too.
  this.timeout(300_000);
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'cloudphone-samples-'));
    const operations = readApi(wholeDocument().document).resources.flatMap((resource) => resource.operations);
    for (const operation of operations.filter(({ isEvent }) => !isEvent)) {
      for (const { language, code } of samplesOf(sampleOf(operation))) {
        mkdirSync(join(folder, language.id), { recursive: true });
        // Programs of Go become functions of one, which is compiled once.
        const own = language.id === 'go' ? code.replace('func main()', `func ${operation.id}()`) : code;
        writeFileSync(join(folder, language.id, `${operation.id}.${language.id}`), `${own}\n`);
      }
    }
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('are there in every language for every operation', () => {
    const counts = ['sh', 'ts', 'py', 'go'].map((id) => readdirSync(join(folder, id)).length);
    expect(new Set(counts)).to.have.length(1);
    expect(counts[0]).to.be.greaterThan(70);
  });

  it('take the address and the key from the environment by the two names that all samples of this project have', () => {
    const used = new Set<string>();
    for (const id of ['sh', 'ts', 'py', 'go']) {
      for (const name of readdirSync(join(folder, id))) {
        const code = readFileSync(join(folder, id, name), 'utf8');
        expect(code, name).to.include('CLOUDPHONE_URL');
        for (const [variable] of code.matchAll(/\b[A-Z]+_[A-Z_]+\b/g)) used.add(variable);
        for (const [variable] of code.matchAll(/\$\{?([A-Za-z_]+)/g))
          if (id === 'sh') used.add(variable.replace(/\W/g, ''));
      }
    }
    expect([...used].filter((name) => /^(?:CLOUDPHONE|API|BASE|KEY|TOKEN|URL)/.test(name))).to.have.members([
      ...['CLOUDPHONE_URL', 'CLOUDPHONE_KEY', 'CLOUDPHONE_COOKIE'],
    ]);
  });

  it('are commands that a shell can read', () => {
    const check = 'for file in *.sh; do bash -n "$file" || exit 1; done';
    expect(run('sh', ['bash', '-c', check])).to.deep.equal({ status: 0, printed: '' });
  });

  it('compile against the client, with its types of every operation', () => {
    const place = join(folder, 'ts');
    const files = readdirSync(place).map((name) => join(place, name));
    const options: ts.CompilerOptions = {
      ...{ target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.NodeNext, strict: true, noEmit: true },
      ...{
        moduleDetection: ts.ModuleDetectionKind.Force,
        skipLibCheck: true,
        types: ['node'],
        lib: ['lib.es2023.d.ts'],
      },
      // The samples are outside of the repository, whose packages they use.
      paths: {
        '@cloudphone/client': [join(ROOT, 'client/src/index.ts')],
        ws: [join(ROOT, 'node_modules/@types/ws/index.d.ts')],
      },
      typeRoots: [join(ROOT, 'node_modules/@types')],
    };
    const host = ts.createCompilerHost(options);
    // The files are modules, as in the package of a program, so they may wait at their top level.
    const getSourceFile = host.getSourceFile.bind(host);
    host.getSourceFile = (name, target, ...rest) => {
      const isSample = name.startsWith(place) && typeof target === 'object';
      return getSourceFile(name, isSample ? { ...target, impliedNodeFormat: ts.ModuleKind.ESNext } : target, ...rest);
    };
    const program = ts.createProgram(files, options, host);
    const faults = ts.getPreEmitDiagnostics(program).map(({ file, messageText }) => {
      const text = ts.flattenDiagnosticMessageText(messageText, ' ');
      return `${file?.fileName.slice(place.length + 1) ?? ''}: ${text}`;
    });
    expect(faults).to.deep.equal([]);
  });

  it('are programs that Python can read', function () {
    const check =
      'import ast, pathlib\nfor file in pathlib.Path(".").glob("*.py"): ast.parse(file.read_text(), str(file))';
    const { status, printed } = run('py', ['python3', '-c', check]);
    if (status === undefined) skip(this, 'needs the program python3');
    expect([status, printed]).to.deep.equal([0, '']);
  });

  it('are programs of Go, formatted as its users have them', function () {
    writeFileSync(join(folder, 'go', 'go.mod'), 'module samples\n\ngo 1.21\n');
    writeFileSync(join(folder, 'go', 'main.go'), 'package main\n\nfunc main() {}\n');
    const formatted = run('go', ['gofmt', '-l', '.']);
    if (formatted.status === undefined) skip(this, 'needs the program go');
    expect(formatted).to.deep.equal({ status: 0, printed: '' });
    expect(run('go', ['go', 'vet', '.'])).to.deep.equal({ status: 0, printed: '' });
  });

  /** Runs a program in the folder of a language. Its status is undefined where the program is not there. */
  function run(language: string, [program = '', ...words]: string[]): { status: number | undefined; printed: string } {
    const options = { cwd: join(folder, language), env: { ...process.env, GOTOOLCHAIN: 'local' } };
    const { error, status, stdout, stderr } = spawnSync(program, words, { ...options, encoding: 'utf8' });
    if (error !== undefined) return { status: undefined, printed: error.message };
    return { status: status ?? -1, printed: stdout + stderr };
  }
});
