import type { Pixels } from '../../phone/screen/pixels.js';
import type { Captures } from '../capture/captures.js';
import type { Images } from '../capture/images.js';
import type { ReachedPhone } from '../link/reached-phone.js';
import type { LiveScreen } from '../live/live-screen.js';
import type { TypedSecrets } from '../secrets/typed-secrets.js';
import type { RememberedTrees } from '../tree/tree-source.js';

/** A phone whose screen can be read. */
export interface ObservedPhone extends ReachedPhone {
  readonly captures: Captures;
  readonly images: Images<Pixels>;
  readonly trees: RememberedTrees;
  readonly live: LiveScreen;
  readonly secrets: TypedSecrets;
}
