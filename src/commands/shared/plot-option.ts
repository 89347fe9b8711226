// `--plot`: a picture in place of rows.
import type { App } from '../../app.ts';
import { Fault } from '../../faults.ts';

/** Throws Fault 'usage' where a form of output was chosen that has no pictures. A pipe gets one without colours. */
export function checkPlot({ printer, settings }: Pick<App, 'printer' | 'settings'>): void {
  const isChosen = settings.output.origin !== 'default' && printer.output !== 'table';
  if (isChosen || printer.hasFields)
    throw new Fault(
      'usage',
      `--plot does not go with ${printer.hasFields ? '--fields' : `the output form ${printer.output}`}`,
      { hint: '-o table draws; without --plot the same figures come as data' },
    );
}
