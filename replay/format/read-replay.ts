import { misfitOf } from './misfit-of.js';
import { parseText } from './parse-text.js';
import { type Replay, ReplayFault } from './replay.js';
import { REPLAY_SHAPE } from './replay-shape.js';
import { spokenStep } from './spoken-step.js';
import { eachName, mayBeSecret } from './variables.js';

/** A replay, and the line of each of its steps. */
export interface ReadReplay {
  replay: Replay;
  lineOfStep: (step: number) => number;
}

/** Reads a replay file, YAML or JSON. Throws a ReplayFault with the line for anything that a replay may not be. */
export function readReplay(text: string): ReadReplay {
  const { value, lineOf } = parseText(text);
  const refuse = (path: string, fault: string): never => {
    throw new ReplayFault(`line ${lineOf(path)}: ${path === '' ? 'The file' : path} ${fault}.`);
  };
  const misfit = misfitOf(value, REPLAY_SHAPE);
  if (misfit !== undefined) refuse(misfit.path, misfit.fault);
  const replay = value as Replay;
  const { steps, variables = {} } = replay;
  for (const [at, step] of steps.entries()) {
    // Words about a step are no words for the phone.
    eachName(spokenStep(step), (name, place) => {
      const path = `steps[${at}].${place}`;
      if (!Object.hasOwn(variables, name))
        refuse(
          path,
          `uses \${${name.slice(0, 64)}}, which is not among the variables. Write $\${ for the characters \${`,
        );
      if (variables[name]?.secret === true && !mayBeSecret(place))
        refuse(path, `must not use the secret variable ${name}: no screen shows it to a search`);
    });
  }
  return { replay, lineOfStep: (step) => lineOf(`steps[${step}]`) };
}
