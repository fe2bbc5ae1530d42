/** Android's own attributes by resource id: names can be stripped from a manifest, ids cannot. */
export const Attribute = {
  label: 0x01010001,
  icon: 0x01010002,
  name: 0x01010003,
  enabled: 0x0101000e,
  drawable: 0x01010199,
  targetActivity: 0x01010202,
  minSdkVersion: 0x0101020c,
  versionCode: 0x0101021b,
  versionName: 0x0101021c,
  targetSdkVersion: 0x01010270,
  testOnly: 0x01010272,
  versionCodeMajor: 0x01010576,
} as const;
