/** The parameter sets of a video, and the picture that they describe. */
export interface VideoConfiguration {
  /** Name of the codec for decoders: `avc1.…`. */
  codec: string;
  /** Of its pictures, pixels. */
  width: number;
  height: number;
  /** In the form of Annex B. */
  data: Buffer;
}

/** One picture of a video: an access unit in the form of Annex B. */
export interface VideoUnit {
  /** A key frame has its configuration in front. */
  data: Buffer;
  isKey: boolean;
  configuration: VideoConfiguration;
  /** When it came from the phone, on the clock's monotonic scale. */
  cameMs: number;
}
