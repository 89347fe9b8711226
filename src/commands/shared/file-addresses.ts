// Whether the addresses of files lead anywhere.
import type { App } from '../../app.ts';

/** Returns whether something listens at the addresses of files: the local archive has no port, unless a server of it is named. */
export function hasFileAddresses({ isRemote, settings }: Pick<App, 'isRemote' | 'settings'>): boolean {
  return isRemote || settings.asset_url.value !== undefined;
}
