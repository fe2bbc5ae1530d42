/** Words of HTTP, which no file defines. */
const METHOD = /^(GET|PUT|POST|PATCH|DELETE)\b/;

/**
 * Returns what a page that follows requests from file to file names, and what is not there: files, folders, rpcs and symbols. `files`
 * are the paths of the repository, `read` returns the text of one. A path may be cut at its beginning once the section has named another
 * file of its top folder. A symbol is a word in one of the section's files, or in a contract.
 */
export function pathFaults(source, files, read) {
  const contracts = files.filter((path) => path.endsWith('.proto'));
  const faults = [];
  for (const { text, line } of sections(source)) {
    const named = [...text.matchAll(/`([^`]+)`/g)].map(({ 1: name, index }) => ({
      name,
      line: line + linesIn(text, index),
    }));
    const found = new Set();
    for (const { name, line } of named.filter(({ name }) => isPath(name))) {
      const rooms = new Set([...found].map(roomOf));
      const hits = files.filter((path) => leadsTo(name, path) && (isWhole(name, path) || rooms.has(roomOf(path))));
      if (hits.length === 0) faults.push({ line, fault: 'no such file or folder', name });
      for (const path of hits) found.add(path);
    }
    const texts = [...new Set([...found, ...contracts])].map(read);
    for (const { name, line } of named.filter(({ name }) => isSymbol(name))) {
      const words = name.split('.').map((word) => new RegExp(`\\b${word}\\b`));
      const isThere = texts.some((text) => words.every((word) => word.test(text)));
      if (!isThere) faults.push({ line, fault: 'no file of the section has it', name });
    }
  }
  return faults;
}

function sections(source) {
  return [...source.matchAll(/^## (?:.*\n?(?!## ))*/gm)].map(({ 0: text, index }) => ({
    text,
    line: 1 + linesIn(source, index),
  }));
}

function linesIn(text, end) {
  return text.slice(0, end).split('\n').length - 1;
}

function isPath(name) {
  return /^[\w./-]+(\.(ts|md|proto)|\/)$/.test(name) && !name.startsWith('/');
}

function isSymbol(name) {
  return /^[A-Za-z_]\w*(\.[A-Za-z]\w*)?$/.test(name) && !isPath(name) && !METHOD.test(name);
}

function leadsTo(name, path) {
  if (name.endsWith('/')) return `/${path}`.includes(`/${name}`);
  return isWhole(name, path) || path.endsWith(`/${name}`);
}

function isWhole(name, path) {
  return name.endsWith('/') ? path.startsWith(name) : path === name;
}

function roomOf(path) {
  return path.slice(0, path.indexOf('/'));
}
