// SPDX-License-Identifier: Apache-2.0
// Reading a model: what the read_*.c files share. The tree of the file is walked once; each value
// is checked against its field table and put into a definition, which is handed to the model.
// Every problem is added to err with its position; reading goes on with the default value.
#ifndef HOL_IO_READ_H
#define HOL_IO_READ_H

#include "base/field.h"
#include "base/name_table.h"
#include "holonom/holonom.h"
#include "io/yaml.h"
#include "model/expr/expr.h"
#include "model/kind.h"
#include "model/model.h"

enum { HOL_READ_FILES = 300 };  // the model file and those in it: io/expand
enum { HOL_NAME_LENGTH = 120 }; // with the names of the parts before it

typedef enum HolSense { HOL_SENSE_ANY, HOL_SENSE_TURNS, HOL_SENSE_SLIDES } HolSense;

typedef struct HolReader {
    HolArena *arena; // lives until the model is read
    const char *file;
    HolError *err;
    int problems;
    HolModel *model;
    HolSpace space;
    int dimensions; // 2 or 3; 1 while a scalar coordinate is read
    char what[96];  // the thing being read, "body 'rod'", put before messages; "" for none
    HolNameTable parameters, bodies, joints, variables; // all names of the file
    HolNameTable forces, motions, constraints, contacts;
    HolNameTable states;
    HolNameTable given_values; // discrete values and inputs
    HolNameTable tunable;      // names under `tunable:`
    int no_memory;             // 1: an expression could not be built for want of memory
    int lost; // 1: something that others refer to was not added, so that compiling makes no sense
    const HolNode *ground_points; // map, or NULL
    const HolNode *parameter_map; // all parameters, read or not yet
    char reason[320];             // why a name in an expression was refused, or ""
    const char *own_coordinate;   // "length" or "angle" of the spring whose law is read, or NULL
    const char *output;           // the output that is being read, or NULL
    HolExprTable *tables;
    int n_tables, tables_capacity;
    const char *unit;                  // of the key whose value is read, or NULL
    HolSense sense;                    // which of several units, "rad, m", the entry has
    double (*units)[2];                // of files: scales of lengths and angles; NULL: none
    struct HolStartStage *start_stage; // or NULL
    int beam_level, beam_base;         // of beams with `elements: auto`, see io/refine
    int beam_elements;                 // of all beams; INT_MAX: too many
    const char *folder;                // see HolModelText
    int *refused;
    const HolSourceFile *given; // texts that stand for files of the disk
    int n_given;
    const char *const *outputs; // in place of those of the file; NULL: as written
    int n_outputs;
    const HolFunctionDef *functions; // of the program
    int n_functions;
    const char *cache; // folder of what is kept of modal bodies; NULL: none
} HolReader;

// lists of bodies and what stands between them: so many entries together (see read_model.c)
extern const HolYamlMost hol_model_most;

// ---- read_value.c: one value ----
// add a problem at a node (NULL: no position); `offset` characters into its text
void hol_read_problem(HolReader *r, const HolNode *at, int offset, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
// "line 7", or "leg.yaml:7" of another file
const char *hol_read_line_text(HolReader *r, int line);
// "; did you mean 'x'?" or "; there are a, b, c" or "", in a buffer of r's arena
const char *hol_read_hint(HolReader *r, const char *word, const char *const *candidates, int n);
const char *hol_read_hint_names(HolReader *r, const char *word, const HolNameTable *names);
// text of a scalar; NULL after a problem was added
const char *hol_read_text(HolReader *r, const HolNode *node, const char *key);
// a name that expressions can use
const char *hol_read_name(HolReader *r, const HolNode *node, const char *key);
// a number or an expression of the parameters: 1 ok
int hol_read_number(HolReader *r, const HolNode *node, const char *key, double *out);
// a list (or, where `low` is 1, a bare value) of low or high numbers; *n may be NULL
int hol_read_numbers(HolReader *r, const HolNode *node, const char *key, int low, int high,
                     double *out, int *n);
// an expression of the state: its text, checked; NULL after a problem
const char *hol_read_expression(HolReader *r, const HolNode *node, const char *key);
// a direction: its length must not vanish
int hol_read_direction(HolReader *r, const HolNode *node, const char *key, double out[3]);

// ---- read_fields.c: maps by their tables ----
typedef struct HolMapReader {
    const HolField *table;
    const HolField *more;  // a second table, whose keys come first; NULL: none
    const HolKind *kind;   // keys are limited to name, type and those of the kind; NULL: all
    const char *kind_word; // "joint": for messages
    int any_kind;          // 1: the type is wrong, which was said: keys of every type are fine
    // fields of type HOL_FIELD_OWN
    void (*own)(HolReader *r, const HolField *field, const HolNode *node, void *object);
} HolMapReader;

void hol_read_map(HolReader *r, const HolNode *map, const HolMapReader *how, void *object);
// expects a map: 1, else a problem is added
int hol_expect(HolReader *r, const HolNode *node, HolNodeType type, const char *key);
// kind named by the entry's `type` key; NULL after a problem (read on with any_kind)
const HolKind *hol_read_kind(HolReader *r, const HolNode *map, const HolKind *const *list,
                             const char *word);

// ---- read_names.c: all names of the file, before anything refers to them ----
void hol_read_names(HolReader *r, const HolNode *root);
// name of entry i of a list: as written, or the word and a number ("joint1")
const char *hol_entry_name(HolReader *r, const HolNode *entry, const char *word, int i);
// 1 when the name belongs to this entry (not taken by another, not reserved)
int hol_entry_owns_name(const HolNameTable *names, const char *name, const HolNode *entry);
// "leg1.rod.top.x": length of the longest start that is the name of something, else of the first word
size_t hol_read_owner_length(HolReader *r, const char *name);
// "leg1.rod.top": length of the longest start that is a body
size_t hol_read_body_length(HolReader *r, const char *text);
// resolves names in expressions of the state; r is the context
void hol_read_resolve(void *context, const char *name, HolSymbol *out, char suggestion[64]);

// ---- read_file.c: the files that the model names ----
// its bytes in r's arena, known to the model from now on; NULL with errno set
char *hol_read_file(HolReader *r, const char *path, size_t *length);
// 1: it may be read: not outside the folder that the reader keeps to
int hol_read_allows(HolReader *r, const char *path);

// ---- read_parts.c ----
// "rod.x", "rod.top.x": 1 when what stands behind the last dot is a quantity of what stands before
// it; else the nearest word is suggested, or all words are given as r->reason
int hol_read_part_known(HolReader *r, const char *name, char suggestion[64]);

// ---- read_body.c, read_joint.c, read_force.c, read_table.c, read_options.c ..: sections ----
void hol_read_ground(HolReader *r, const HolNode *node);
void hol_read_check_ground(HolReader *r, const HolNode *node); // its keys
// coordinates, or the name of one of the points of a map
void hol_read_point_or_name(HolReader *r, const char *key, const HolNode *node,
                            const HolNode *points, double out[3]);
void hol_read_ground_point(HolReader *r, const HolNode *node, double at[3]); // global axes
int hol_read_orientation(HolReader *r, const HolNode *map, double quaternion[4]);
void hol_read_bodies(HolReader *r, const HolNode *list);
void hol_read_joints(HolReader *r, const HolNode *list);
void hol_read_forces(HolReader *r, const HolNode *list);
void hol_read_motions(HolReader *r, const HolNode *list);
void hol_read_constraints(HolReader *r, const HolNode *list);
void hol_read_states(HolReader *r, const HolNode *list);
void hol_read_contacts(HolReader *r, const HolNode *list);
void hol_read_variables(HolReader *r, const HolNode *list);
void hol_read_outputs(HolReader *r, const HolNode *list);
void hol_read_parameters(HolReader *r, const HolNode *map);
void hol_read_tunable(HolReader *r, const HolNode *root);     // before the parameters
void hol_read_tunable_end(HolReader *r, const HolNode *root); // behind them
void hol_read_friction(HolReader *r, const HolNode *map, HolFrictionDef *def);
void hol_read_limits(HolReader *r, const HolNode *map, HolLimitsDef *def);
void hol_read_events(HolReader *r, const HolNode *list);
void hol_read_discrete(HolReader *r, const HolNode *map);
// NAME of `inputs:` from the CSV file that value names (mode/input_file.c)
#define HOL_INPUT_FILE "input_file." // and its name: the key of such a setting
void hol_read_input_file(HolReader *r, HolNode *root, const char *name, const HolNode *value);
void hol_read_inputs(HolReader *r, const HolNode *map);
void hol_read_curves(HolReader *r, const HolNode *map);
void hol_read_tables(HolReader *r, const HolNode *map);
// a usable name for a parameter or table; NULL after a problem
const char *hol_read_free_name(HolReader *r, const HolNode *key, const char *word);
void hol_read_simulation(HolReader *r, const HolNode *map, HolSimOptions *options);
int hol_read_is_ground(const HolRef *ref);
int hol_read_has_origin(const HolNode *body);
int hol_read_ref(HolReader *r, const HolNode *node, const char *key, HolRef *out);
int hol_read_between(HolReader *r, const HolNode *node, const char *key, HolRef *a, HolRef *b);
// `self`: the joint that refers to it, which is not offered instead; or NULL
const char *hol_read_joint_name(HolReader *r, const HolNode *node, const char *key,
                                const char *self);

// ---- read_set.c: `--set key=value` changes the tree before it is read ----
// before parts and repeats are written out: parameters, options; behind: keys of what has a name
void hol_apply_settings(HolReader *r, HolNode *root, const HolSetting *settings, int n);
void hol_apply_late_settings(HolReader *r, HolNode *root, const HolSetting *settings, int n);
// the value of a setting; NULL after a problem
HolNode *hol_read_setting(HolReader *r, const char *key, const char *text);
// value of a key in a map, the key added when it is not there; NULL without memory
HolNode *hol_read_put(HolReader *r, HolNode *map, const char *key, const HolNode *value);

// ---- read_model.c ----
// format number and keys of a file; is_model: the model file, which must give its format
void hol_read_check_file(HolReader *r, const HolNode *root, int is_model);

#endif
