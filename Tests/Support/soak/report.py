"""What a long run gave: faults and how long each took to get over, what grew, what did not hold.

  python3 Tests/Support/soak/report.py [REPORT.json]     writes the summary of a run into docs/benchmarks.md
"""
import json
import os
import statistics
import sys
import time


def growth(soak):
    """For each life of two minutes or more: memory and descriptors at its first and its last quiet moments."""
    lives = {}
    for sample in soak.samples:
        if sample['age'] > 30:
            lives.setdefault(sample['life'], []).append(sample)
    result = []
    for life, samples in lives.items():
        # Workers that were just ended, or are there for one picture, are not growth: what is compared has the usual number of processes.
        usual = statistics.mode(s['processes'] for s in samples)
        samples = [s for s in samples if s['processes'] == usual]
        length = samples[-1]['age'] - samples[0]['age']
        if length < 90:
            continue
        first = [s for s in samples if s['age'] - samples[0]['age'] < 30]
        last = [s for s in samples if samples[-1]['age'] - s['age'] < 30]
        # The least of half a minute: what the moment's clients take is not the service's own.
        entry = {'life': life, 'seconds': round(length)}
        for key in ('memory', 'descriptors', 'threads'):
            entry[key] = [min(s[key] for s in first), min(s[key] for s in last), max(s[key] for s in samples)]
        result.append(entry)
        # Each camera has workers of its own, whose memory settles on its own.
        if entry['memory'][1] - entry['memory'][0] > 10 * len(soak.cameras):
            soak.log.violation('memory', f'run {life}: {entry["memory"][0]} -> {entry["memory"][1]} MB')
        if entry['descriptors'][1] - entry['descriptors'][0] > 8:
            soak.log.violation('descriptors', f'run {life}: {entry["descriptors"][0]} -> {entry["descriptors"][1]}')
    return result


def report(soak):
    """Everything that a run gave, as one value."""
    flat = growth(soak)
    kinds = {}
    for fault in soak.log.faults:
        kinds.setdefault(fault['fault'], []).append(fault)
    table = []
    for name, entries in sorted(kinds.items()):
        well = [e['well after'] for e in entries if e['well after'] is not None]
        table.append({'fault': name, 'times': len(entries), 'well again': len(well),
                      'median s': round(statistics.median(well), 2) if well else None,
                      'worst s': max(well) if well else None})
    ends = {}
    for life in soak.service.lives:
        key = f'{life.get("wanted") or "unwanted"}, status {life.get("status")}'
        ends[key] = ends.get(key, 0) + 1
    result = {
        'seconds': round(time.monotonic() - soak.began), 'seed': soak.options.seed, 'violations': soak.log.violations,
        'verdicts compared': soak.compared, 'counts': dict(sorted(soak.log.counts.items())), 'faults': table,
        'skipped': soak.log.skipped, 'cgroup': soak.group.reason or 'used', 'runs of the service': ends,
        'flat': flat, 'quiet at the end': soak.final, 'cameras': soak.given, 'codes shown': soak.codes.count,
        'log of faults': soak.log.faults}
    if soak.options.frames:
        result['frames'] = soak.frames
    return result


def text(report):
    """The same for people."""
    lines = [f'{report["seconds"]} s, seed {report["seed"]}, {report["codes shown"]} different codes shown',
             f'violations: {len(report["violations"])}']
    lines += [f'  {v["at"]:8.1f} {v["kind"]}: {v["text"]}' for v in report['violations'][:50]]
    lines += [f'verdicts compared among witnesses: {report["verdicts compared"]}']
    lines += [f'{key}: {value}' for key, value in report['counts'].items()]
    lines += [f'frames of {name}: ' + ', '.join(f'{key} {value:,}' for key, value in figures.items()) for name, figures in report['cameras'].items()]
    if 'frames' in report:
        lines += [f'frames: {report["frames"]}']
    if report['faults']:
        lines += ['', f'{"fault":20} {"times":>6} {"well again":>11} {"median s":>9} {"worst s":>8}']
        lines += [f'{f["fault"]:20} {f["times"]:6} {f["well again"]:11} {f["median s"] or 0:9.2f} {f["worst s"] or 0:8.2f}'
                  for f in report['faults']]
    if report['skipped']:
        lines += [f'skipped: {report["skipped"]} (memory cgroup: {report["cgroup"]})']
    lines += ['', f'runs of the service: {report["runs of the service"]}',
              'flat (first half minute, last half minute, most):']
    lines += [f'  run {g["life"]}, {g["seconds"]} s: memory {g["memory"]} MB, descriptors {g["descriptors"]}, '
              f'threads {g["threads"]}' for g in report['flat']]
    lines += [f'quiet at the end: {report["quiet at the end"]}']
    return '\n'.join(lines) + '\n'


def summary(report):
    """The same for docs/benchmarks.md, in short."""
    count = len(report['violations'])
    cameras = f' --cameras {len(report["cameras"])}' if len(report['cameras']) > 1 else ''
    lines = [f'| `Scripts/soak {report["seconds"] // 60} --seed {report["seed"]}{cameras}` | |', '|---|---|',
             f'| faults; kinds | {len(report["log of faults"])}; {len(report["faults"])} |',
             f'| runs of the service | {sum(report["runs of the service"].values())} |',
             f'| different codes shown | {report["codes shown"]:,} |',
             f'| verdicts and other events compared between clients | {report["verdicts compared"]:,} |',
             f'| violations | {count} |']
    slowest = max(report['faults'], key=lambda fault: fault['worst s'] or 0, default=None)
    if slowest:
        lines.append(f'| slowest recovery | {slowest["worst s"] or 0:.2f} s ({slowest["fault"]}) |')
    longest = max(report['flat'], key=lambda run: run['seconds'], default=None)
    if longest:
        (memory, later), (descriptors, last), (threads, end) = longest['memory'][:2], longest['descriptors'][:2], longest['threads'][:2]
        lines.append(f'| longest run, {longest["seconds"]} s: memory, descriptors, threads, first and last half minute | '
                     f'{memory} and {later} MB, {descriptors} and {last}, {threads} and {end} |')
    return lines


if __name__ == '__main__':
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    sys.path.insert(0, os.path.join(root, 'Benchmarks'))
    import written
    with open(sys.argv[1] if len(sys.argv) > 1 else os.path.join(root, '.build/soak/report.json'), encoding='utf8') as file:
        written.write('benchmarks.md', 'soak', summary(json.load(file)))
