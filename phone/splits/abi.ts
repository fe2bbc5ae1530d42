import { AbiName } from '../../proto/gen/cloudphone/bundle/v1/toc_pb.js';

const NAMES: Readonly<Record<number, string>> = {
  [AbiName.ARMEABI]: 'armeabi',
  [AbiName.ARMEABI_V7A]: 'armeabi-v7a',
  [AbiName.ARM64_V8A]: 'arm64-v8a',
  [AbiName.X86]: 'x86',
  [AbiName.X86_64]: 'x86_64',
  [AbiName.MIPS]: 'mips',
  [AbiName.MIPS64]: 'mips64',
  [AbiName.RISCV64]: 'riscv64',
};

/** Returns Android's name of a kind of processor. */
export function abiOf(name: AbiName): string {
  return NAMES[name] ?? `number ${name}`;
}

/** Android's name of a kind of processor by its name in the name of a split: `arm64-v8a` for `arm64_v8a`. */
export const ABIS_OF_SPLITS: ReadonlyMap<string, string> = new Map(
  Object.values(NAMES).map((abi) => [abi.replace('-', '_'), abi]),
);
