/** The form of the pictures that go into an encoder, and of the video that comes out. */
export interface VideoForm {
  /** Size of the pictures. */
  source: { width: number; height: number };
  /** Layout of their pixels. Absent: rgba. */
  pixels?: 'rgba' | 'rgb24';
  /** Width of the video. */
  width: number;
  height: number;
  fps: number;
  /** Highest bit rate, bits a second. */
  bitRate: number;
}

/** An encoded picture: one access unit of H.264 in the format of Annex B. */
export interface EncodedPicture {
  data: Buffer;
  isKey: boolean;
  /** The parameter sets of the video. Only the first picture of an encoder has them. */
  configuration: Buffer | undefined;
}

/** Encodes pictures of one size to H.264. The first one becomes a key frame. */
export interface VideoEncoder {
  /** Encodes one picture. Pictures are encoded one after the other. Throws when the encoder does not work any more. */
  encode(pixels: Uint8Array): Promise<EncodedPicture>;
  close(): void;
}

/** Makes the encoders of all phones of a process. */
export interface VideoEncoders {
  /** Opens an encoder, which is closed when the signal aborts. Undefined: no more encoders may run at present. */
  open(form: VideoForm, signal: AbortSignal): VideoEncoder | undefined;
}
