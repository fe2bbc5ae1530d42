import type { Command } from '../command.js';

export const minicap: Command = async () => 1;
