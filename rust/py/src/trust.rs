//! `TrustPolicy`: which trust may hold which role.

use interleaf_core::block::Role;
use interleaf_core::error::{Class, Code, Refusal};
use interleaf_core::fragment::Trust;
use interleaf_core::trust::TrustPolicy as Rules;
use pyo3::prelude::*;
use pyo3::types::{PyFrozenSet, PySet, PyTuple, PyType};

use crate::errors::{found, raise, refuse};
use crate::fields::{Fields, join_path, require_mapping};
use crate::fragment::Fragment;
use crate::objects::new_tuple;
use crate::plan::is_no_list;
use crate::record::{Field, Form, Record, record_methods};
use crate::sequence::snapshot;
use crate::unicode::quoted;
use crate::words::{one_of, python_word, read_word};

/// The roles, each a field of the policy.
pub static FIELDS: Fields<4> = Fields::new(Class::Plan, ["system", "developer", "user", "assistant"], &[]);

/// Which trust may hold which role: for each role the trusts that may, or None for any. Immutable.
///
/// Args:
///     system: the trusts that a fragment of role `system` may have.
///     developer: the same for the role `developer`.
///     user: the same for the role `user`.
///     assistant: the same for the role `assistant`.
///
/// Raises:
///     PlanError: what is given for a role is no iterable (`invalid_type`), or holds a word that is no trust
///         (`invalid_trust`).
///
/// >>> from interleaf import TrustPolicy
/// >>> TrustPolicy(system=["developer", "system"], assistant=[])
/// TrustPolicy(system=('system', 'developer'), assistant=())
/// >>> TrustPolicy.strict().system
/// ('system', 'developer')
#[pyclass(frozen, module = "interleaf")]
pub struct TrustPolicy {
    rules: Rules,
}

type Values<'py> = [Option<Bound<'py, PyAny>>; 4];

fn read_trusts(object: &Bound<'_, PyAny>, path: &str) -> PyResult<Vec<Trust>> {
    let expected = "an iterable of trusts";
    let refused = || refuse(Class::Plan, Code::InvalidType, path, found(object), expected);
    if is_no_list(object)? {
        return Err(refused());
    }
    match object.try_iter() {
        Ok(_) => {}
        Err(error) if error.is_instance_of::<pyo3::exceptions::PyTypeError>(object.py()) => return Err(refused()),
        Err(error) => return Err(error),
    }
    let mut trusts = Vec::new();
    let mut strange = Vec::new();
    for item in snapshot(object)?.iter() {
        match read_word::<Trust>(&item)? {
            Some(trust) => trusts.push(trust),
            None => strange.push(found(&item)?),
        }
    }
    // The order of a set depends on the run, and an error must not.
    if object.is_instance_of::<PySet>() || object.is_instance_of::<PyFrozenSet>() {
        strange.sort();
    }
    if let Some(first) = strange.into_iter().next() {
        return Err(refuse(Class::Plan, Code::InvalidTrust, path, first, one_of::<Trust>()));
    }
    Ok(trusts)
}

impl TrustPolicy {
    fn from_values(values: &Values<'_>, path: &str) -> PyResult<Rules> {
        let mut rules = Rules::OPEN;
        for ((role, name), value) in Role::ALL.iter().zip(FIELDS.names).zip(values) {
            if let Some(value) = value {
                rules = rules.with(*role, &read_trusts(value, &join_path(path, name))?);
            }
        }
        Ok(rules)
    }

    fn trusts<'py>(&self, py: Python<'py>, role: Role) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let words = |trusts: Vec<Trust>| new_tuple(py, trusts.into_iter().map(|trust| python_word(py, trust)));
        self.rules.trusts(role).map(|trusts| words(trusts.collect())).transpose()
    }

    /// The policy of a plan.
    pub fn read(object: &Bound<'_, PyAny>) -> PyResult<Rules> {
        if let Ok(policy) = object.cast_exact::<Self>() {
            return Ok(policy.get().rules);
        }
        require_mapping(object, Class::Plan, "trust_policy", "a TrustPolicy or a mapping of roles to trusts")?;
        let values = FIELDS.read(object, &|| String::from("trust_policy"))?;
        Self::from_values(&values, "trust_policy")
    }

    /// The object for some rules.
    pub fn of(rules: Rules) -> Self {
        Self { rules }
    }
}

/// Refuses the first fragment whose trust may not hold its role.
pub fn check_trust(py: Python<'_>, rules: Rules, fragments: &[Fragment]) -> PyResult<()> {
    for (index, fragment) in fragments.iter().enumerate() {
        let data = fragment.data();
        if !rules.allows(data.role, data.trust) {
            return Err(refuse_role(py, rules, fragment, index));
        }
    }
    Ok(())
}

#[cold]
fn refuse_role(py: Python<'_>, rules: Rules, fragment: &Fragment, index: usize) -> PyErr {
    let data = fragment.data();
    let (role, trust) = (data.role.as_str(), data.trust.as_str());
    let trusts: Vec<&str> = rules.trusts(data.role).into_iter().flatten().map(Trust::as_str).collect();
    let expected = if trusts.is_empty() {
        format!("no fragment of role {role:?}, which trust_policy gives to nobody")
    } else {
        format!("trust {} in the role {role:?}, as trust_policy says", trusts.join(" or "))
    };
    let path = format!("fragments[{index}].role");
    let found = format!("role {role:?} with trust {trust:?}");
    raise(
        Refusal::new(Class::Plan, Code::TrustRole, path, found, expected)
            .of(format!("fragment {}", quoted(data.id.bind(py)))),
    )
}

impl Record for TrustPolicy {
    fn names() -> &'static [&'static str] {
        &FIELDS.names
    }

    fn fields<'py>(&self, py: Python<'py>) -> PyResult<Vec<Field<'py>>> {
        let field = |(&role, name)| Ok(Field::optional(py, name, self.trusts(py, role)?)?.form(Form::Plain));
        Role::ALL.iter().zip(FIELDS.names).map(field).collect()
    }
}

record_methods! { TrustPolicy, hash: all but [],
    #[new]
    #[pyo3(signature = (*, system=None, developer=None, user=None, assistant=None))]
    fn new(
        system: Option<Bound<'_, PyAny>>,
        developer: Option<Bound<'_, PyAny>>,
        user: Option<Bound<'_, PyAny>>,
        assistant: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        Self::from_values(&[system, developer, user, assistant], "").map(Self::of)
    }

    /// Instructions only from those who give them: `system` and `developer` trust in the roles `system` and `developer`, and
    /// any trust in the others.
    #[staticmethod]
    fn strict() -> Self {
        Self::of(Rules::strict())
    }

    /// A policy from its mapping form.
    #[classmethod]
    fn from_dict<'py>(_class: &Bound<'py, PyType>, mapping: &Bound<'py, PyAny>) -> PyResult<Self> {
        require_mapping(mapping, Class::Plan, "", "a mapping")?;
        Self::from_values(&FIELDS.read(mapping, &String::new)?, "").map(Self::of)
    }

    #[getter]
    fn system<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        self.trusts(py, Role::System)
    }

    #[getter]
    fn developer<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        self.trusts(py, Role::Developer)
    }

    #[getter]
    fn user<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        self.trusts(py, Role::User)
    }

    #[getter]
    fn assistant<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        self.trusts(py, Role::Assistant)
    }
}
