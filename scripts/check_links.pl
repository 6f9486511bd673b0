#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# Links and citations of the tracked files, from the root of the repository:
#   pages      [text](page.md#heading): the page and the heading exist
#   pages      `src/...`, `scripts/...`: paths in backquotes exist (not in the changelog)
#   sources    docs/PAGE.md is a page; docs/theory/PAGE.md, section N is a section of that page
#   walk       rows "| N | files | functions |" of docs/architecture.md: a file has the function
#   theory     every section number and every equation number exists once
use strict;
use warnings;

my $bad = 0;
my %anchors;
my $folders = 'src|include|tools|cli|test|scripts|bench|examples|cmake|docs|models|web';

sub complain { print "links: $_[0]\n"; $bad = 1; }

sub slurp {
    open my $file, '<', $_[0] or return undef;
    local $/;
    return scalar <$file>;
}

# headings as GitHub turns them into anchors: letters, digits, - and _, spaces as -
sub anchors_of {
    my $page = shift;
    return $anchors{$page} if $anchors{$page};
    my (%names, %seen, $code);
    for (split /\n/, slurp($page) // '') {
        $code = !$code if /^```/;
        next if $code or !/^#+ +(.*?) *$/;
        my $name = lc $1;
        $name =~ s/\[([^]]*)\]\([^)]*\)/$1/g;
        $name =~ s/[^\w\- ]//g;
        $name =~ s/ /-/g;
        $names{$seen{$name}++ ? "$name-" . ($seen{$name} - 1) : $name} = 1;
    }
    return $anchors{$page} = \%names;
}

sub normal {
    my @parts;
    for (split m{/}, shift) {
        next if $_ eq '.' or $_ eq '';
        if ($_ eq '..') { pop @parts } else { push @parts, $_ }
    }
    return join '/', @parts;
}

my @files = split /\n/, `git ls-files`;
for my $page (grep { /\.md$/ } @files) {
    my $text = slurp($page) // next;
    $text =~ s/^```.*?^```//msg;
    (my $folder = $page) =~ s{[^/]*$}{};
    while ($text =~ /\]\(([^)\s]+)\)/g) {
        my ($path, $anchor) = $1 =~ /^([^#]*)#?(.*)$/;
        next if $path =~ /^\w+:/;
        my $target = $path eq '' ? $page : normal($folder . $path);
        if (!-e $target) { complain("$page: no file $path") }
        elsif ($anchor ne '' && $target =~ /\.md$/ && !anchors_of($target)->{$anchor}) {
            complain("$page: no heading #$anchor in $target");
        }
    }
    next if $page eq 'CHANGELOG.md';
    while ($text =~ /`((?:$folders)\/[\w.\/-]+\.\w+)`/g) {
        complain("$page: no file `$1`") if !-e $1 && $1 !~ /(?<![A-Za-z])[A-Z]{2,}\./;
    }
}

for my $source (grep { /\.([ch]|cpp|sh|mjs|ts|cmake|txt|1)$|Makefile$|^\.ci/ && !/^docs\/papers/ } @files) {
    my $text = slurp($source) // next;
    $text =~ s/\n[ \t]*(\/\/+|\*|#)?[ \t]*/ /g;
    while ($text =~ /(docs\/[\w\/-]+\.md)(?:,? sections? ([\d.]*\d))?/g) {
        if (!-e $1) { complain("$source: no page $1") }
        elsif (defined $2) {
            my ($page, $section) = ($1, $2);
            complain("$source: no section $section in $page")
                if slurp($page) !~ /^##+ \Q$section\E /m;
        }
    }
}

for (grep { /^\| \d+ \|/ } split /\n/, slurp('docs/architecture.md') // '') {
    my (undef, $number, $files, $functions) = split / *\| */;
    my $code = join '', map { slurp($_) // '' } $files =~ /`([\w.\/]+)`/g;
    for my $function ($functions =~ /`(?:hol_\w+|\w+)`/g) {
        $function =~ tr/`//d;
        complain("docs/architecture.md: step $number: no $function() in $files")
            if $function !~ /^_/ && $code !~ /\b\Q$function\E\(/;
    }
}

my (%section, %equation);
for my $page (grep { /^docs\/theory\// } @files) {
    for (split /\n/, slurp($page) // '') {
        if (/^##+ ([\d.]+) /) {
            complain("section $1 is in $section{$1} and in $page") if $section{$1};
            $section{$1} = $page;
        }
        if (/^    .*\((\d+[a-z]?)\)\s*$/) {
            complain("equation ($1) is in $equation{$1} and in $page") if $equation{$1};
            $equation{$1} = $page;
        }
    }
}
print "links: ok\n" if !$bad;
exit $bad;
