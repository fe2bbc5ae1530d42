/** The parameter sets of a video, and the picture that they describe. */
export interface VideoConfiguration {
  /** Name of the codec for decoders: `avc1.…`. */
  codec: string;
  /** Width of its pictures, pixels. */
  width: number;
  height: number;
  /** The parameter sets in the form of Annex B. */
  data: Buffer;
}

/** One picture of a video: an access unit in the form of Annex B. */
export interface VideoUnit {
  /** The bytes; those of a key frame begin with its configuration. */
  data: Buffer;
  isKey: boolean;
  configuration: VideoConfiguration;
  /** When it came from the phone, on the clock's monotonic scale. */
  cameMs: number;
}
