import { programs } from './programs.js';

// The image's command, `cloudphone`: its first word names a program, and the words after it are that program's arguments.
const [name = 'start', ...words] = process.argv.slice(2);
const program = programs.get(name);
if (program === undefined) {
  process.stderr.write(`"${name}" is not one of the programs of this image: ${[...programs.keys()].join(', ')}\n`);
  process.exit(1);
}
process.argv.splice(1, process.argv.length, program.pathname, ...words);
await import(program.href);
