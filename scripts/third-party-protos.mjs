// Writes the .proto files that our contract imports from others into proto/deps (git-ignored). They come from npm packages alone, so that
// `buf` works without a network. protobufjs has the text of google/api. The package of protovalidate has only a descriptor of buf/validate,
// from which its text is printed here.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { printProto } from './print-proto.mjs';

const require = createRequire(import.meta.url);
const target = join(dirname(fileURLToPath(import.meta.url)), '..', 'proto', 'deps');

function write(path, text) {
  mkdirSync(dirname(join(target, path)), { recursive: true });
  writeFileSync(join(target, path), text);
}

function packageFolder(name) {
  return dirname(require.resolve(`${name}/package.json`));
}

rmSync(target, { recursive: true, force: true });

const protobufjs = packageFolder('protobufjs');
for (const path of ['google/api/annotations.proto', 'google/api/http.proto']) {
  write(path, readFileSync(join(protobufjs, path), 'utf8'));
}

// Protocols that every gRPC tool expects of a server.
const reflection = packageFolder('@grpc/reflection');
for (const version of ['v1', 'v1alpha']) {
  const path = `grpc/reflection/${version}/reflection.proto`;
  write(path, readFileSync(join(reflection, 'build', 'proto', path), 'utf8'));
}
write(
  'grpc/health/v1/health.proto',
  readFileSync(join(packageFolder('grpc-health-check'), 'proto/health/v1/health.proto'), 'utf8'),
);

// The package exports no path to its generated descriptor, so it is reached by file.
const protovalidate = dirname(require.resolve('@bufbuild/protovalidate'));
const generated = join(protovalidate, '..', 'esm', 'gen', 'buf', 'validate', 'validate_pb.js');
const { file_buf_validate_validate } = await import(pathToFileURL(generated).href);
write('buf/validate/validate.proto', printProto(file_buf_validate_validate));
