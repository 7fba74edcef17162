//! Sets whose elements need no order and no hash.

/// A set of models, or of a type that is neither `Ord` nor `Hash`.
///
/// The elements keep the order in which they came; equal ones are merged when the set is encoded.
///
/// ```
/// use ferroform::model::SetOf;
///
/// let weights: SetOf<f64> = [0.5, 0.25].into_iter().collect();
/// assert_eq!(weights.len(), 2);
/// assert_eq!(weights.iter().sum::<f64>(), 0.75);
/// ```
#[derive(Debug, Clone)]
pub struct SetOf<T> {
    elements: Vec<T>,
}

impl<T> SetOf<T> {
    /// How many elements there are.
    ///
    /// ```
    /// use ferroform::model::SetOf;
    ///
    /// // Equal elements are merged when the set is encoded.
    /// let weights: SetOf<f64> = [0.5, 0.25, 0.5].into_iter().collect();
    /// assert_eq!(weights.len(), 3);
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.elements.len()
    }

    /// Whether there are none.
    ///
    /// ```
    /// use ferroform::model::SetOf;
    ///
    /// assert!(SetOf::<f64>::default().is_empty());
    /// assert!(!SetOf::from(vec![0.5]).is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    /// The elements.
    ///
    /// ```
    /// use ferroform::model::SetOf;
    ///
    /// let weights = SetOf::from(vec![0.5, 0.25]);
    /// assert!(weights.iter().all(|weight| *weight <= 1.0));
    /// ```
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.elements.iter()
    }

    /// The elements, out of the set.
    ///
    /// ```
    /// use ferroform::model::SetOf;
    ///
    /// let weights = SetOf::from(vec![0.5, 0.25]);
    /// assert_eq!(weights.into_vec(), [0.5, 0.25]);
    /// ```
    #[must_use]
    pub fn into_vec(self) -> Vec<T> {
        self.elements
    }
}

impl<T> Default for SetOf<T> {
    fn default() -> Self {
        Self { elements: Vec::new() }
    }
}

impl<T> From<Vec<T>> for SetOf<T> {
    fn from(elements: Vec<T>) -> Self {
        Self { elements }
    }
}

impl<T> FromIterator<T> for SetOf<T> {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Self {
        Self { elements: elements.into_iter().collect() }
    }
}

impl<T> IntoIterator for SetOf<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.elements.into_iter()
    }
}

impl<'a, T> IntoIterator for &'a SetOf<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.elements.iter()
    }
}
