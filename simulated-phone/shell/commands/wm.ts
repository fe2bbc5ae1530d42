import { CommandFailure, type Command } from '../command.js';

/** `wm size|density [VALUE|reset]` and the other subcommands that clients call; sizes are upright, whatever the rotation. */
export const wm: Command = async (call) => {
  const { machine, stdout } = call;
  const words = call.args.filter((word, at) => word !== '-d' && call.args[at - 1] !== '-d');
  const [verb = '', value] = words;
  const physical = machine.identity.model.screen;
  const { screen } = machine;
  const upright = screen.rotation % 2 === 0 ? screen : { width: screen.height, height: screen.width };
  switch (verb) {
    case 'size':
      if (value === undefined) {
        await stdout.write(`Physical size: ${physical.width}x${physical.height}\n`);
        if (upright.width !== physical.width || upright.height !== physical.height)
          await stdout.write(`Override size: ${upright.width}x${upright.height}\n`);
      } else if (value === 'reset') screen.setSizeOverride(undefined);
      else {
        const match = /^(\d{2,4})x(\d{2,4})$/.exec(value);
        if (!match) throw new CommandFailure(`Error: bad size ${value}`, { bare: true, status: 255 });
        screen.setSizeOverride({
          width: clamped(Number(match[1]), physical.width),
          height: clamped(Number(match[2]), physical.height),
        });
      }
      return 0;
    case 'density':
      if (value === undefined) {
        await stdout.write(`Physical density: ${physical.density}\n`);
        if (screen.density !== physical.density) await stdout.write(`Override density: ${screen.density}\n`);
      } else if (value === 'reset') screen.setDensityOverride(undefined);
      else {
        const density = Number(value);
        if (!Number.isInteger(density) || density < 72 || density > 1_000)
          throw new CommandFailure(`Error: density must be >= 72`, { bare: true, status: 255 });
        screen.setDensityOverride(density);
      }
      return 0;
    case 'user-rotation':
    case 'set-user-rotation': {
      const [, mode, rotation] = words;
      if (mode === undefined)
        await stdout.write(machine.settings.get('system', 'accelerometer_rotation') === '1' ? 'free\n' : `lock ${machine.settings.get('system', 'user_rotation') ?? '0'}\n`); // prettier-ignore
      else {
        machine.settings.put('system', 'accelerometer_rotation', mode === 'free' ? '1' : '0');
        if (rotation !== undefined) machine.settings.put('system', 'user_rotation', rotation);
      }
      return 0;
    }
    case 'dismiss-keyguard':
    case 'fixed-to-user-rotation':
    case 'set-fix-to-user-rotation':
    case 'set-ignore-orientation-request':
    case 'overscan':
      return 0;
    default:
      throw new CommandFailure(`Unknown command: ${verb}`, { bare: true, status: 255 });
  }
};

/**
 * Returns a size within Android's bounds: at least 200 pixels and at most twice those of the display. A frame of 9999x9999 would take 400
 * MB.
 */
function clamped(size: number, physical: number): number {
  return Math.min(Math.max(size, MIN_SIDE), 2 * physical);
}

const MIN_SIDE = 200;
